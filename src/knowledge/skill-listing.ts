import { visibleLine } from '../lib/text.ts';
import { matchesName } from '../permissions/pattern.ts';
import type { Rule } from '../protocol/permission.ts';
import { escapeLabels } from './label.ts';
import type { Skill } from './skill.ts';

/** Characters of one entry's text, and of all entries together. */
const longestEntry = 1_536;
const longestListing = 8_000;
const shortestEntry = 60;
const mostNames = 200;

/** What a model may choose from: in the order of names, and the same bytes over a whole session. */
export function listable(skills: readonly Skill[], rules: readonly Rule[]): Skill[] {
  return skills.filter(
    (skill) =>
      skill.modelInvocable &&
      (skill.kind === 'skill' || skill.isDescribed) &&
      !rules.some((rule) => denies(rule, skill.name)),
  );
}

/** Texts are cut alike until all fit; where even short ones do not fit, names alone are listed. */
export function renderListing(skills: readonly Skill[]): string {
  const listed = skills.filter((skill) => skill.paths.length === 0);
  const entries = listed.map((skill) => ({ name: skill.name, text: textOf(skill) }));
  const fits = (limit: number) =>
    entries.reduce((sum, { name, text }) => sum + name.length + Math.min(text.length, limit) + 6, 0) <=
    longestListing;
  const limit = [longestEntry, 800, 400, 250, 150, 100, shortestEntry].find(fits);
  if (limit !== undefined) return entries.map(({ name, text }) => line(name, text, limit)).join('\n');
  const names = entries.slice(0, mostNames).map(({ name }) => name);
  const more = entries.length > mostNames ? ` and ${entries.length - mostNames} more` : '';
  return `There are too many to describe: ${names.join(', ')}${more}.`;
}

export function textOf({ description, whenToUse }: Pick<Skill, 'description' | 'whenToUse'>): string {
  const text = whenToUse === undefined ? description : `${description} ${whenToUse}`;
  return escapeLabels(visibleLine(text, longestEntry));
}

function line(name: string, text: string, limit: number): string {
  return text === '' ? `- ${name}` : `- ${name}: ${visibleLine(text, limit)}`;
}

function denies({ behaviour, tool, specifier }: Rule, name: string): boolean {
  if (behaviour !== 'deny' || tool !== 'Skill' || specifier === undefined) return false;
  return matchesName(specifier, name) || matchesName(specifier.replace(/(?: \*|:\*)$/, ''), name);
}
