import { escapeHarnessTags } from '../lib/text/harness-tags.ts';
import { visibleLine } from '../lib/text/text.ts';
import { matchesName } from '../places/name-pattern.ts';
import type { Rule } from '../protocol/permission.ts';
import type { Skill } from './skill.ts';

/** Characters of one entry's text, and of all entries together. */
const maxEntryLength = 1_536;
const maxListingLength = 8_000;
/** A shorter text says nothing. */
const minEntryLength = 16;
/** The characters of a line besides its name and its text. */
const besides = '- : \n'.length;

/** The list that a model chooses from: sorted by name, and the same bytes over a whole session. */
export function listable(skills: readonly Skill[], rules: readonly Rule[]): Skill[] {
  return skills.filter(
    (skill) =>
      skill.modelInvocable &&
      (skill.kind === 'skill' || skill.isDescribed) &&
      !rules.some((rule) => denies(rule, skill.name)),
  );
}

/**
 * All texts are cut to the same length, as long as possible, so that all fit; if that leaves too little of them, only
 * names are listed.
 */
export function renderListing(skills: readonly Skill[]): string {
  const listed = skills.filter((skill) => skill.paths.length === 0);
  const entries = listed.map((skill) => ({ name: skill.name, text: formatSkillText(skill) }));
  const limit = longestThatFits(entries);
  return limit < minEntryLength
    ? renderNames(entries.map(({ name }) => name))
    : entries.map(({ name, text }) => line(name, text, limit)).join('\n');
}

interface Entry {
  name: string;
  text: string;
}

/** The largest length that every text may have. */
function longestThatFits(entries: readonly Entry[]): number {
  const fits = (limit: number) =>
    entries.reduce((sum, { name, text }) => sum + name.length + Math.min(text.length, limit) + besides, 0) <=
    maxListingLength;
  let most = 0;
  for (let step = 1_024; step >= 1; step /= 2) if (fits(most + step)) most += step;
  return Math.min(most, maxEntryLength);
}

function renderNames(names: readonly string[]): string {
  const beginning = 'Too many to describe: ';
  let room = maxListingLength - beginning.length - ' and 1000000 more.'.length;
  const fitting = names.findIndex((name) => {
    room -= name.length + 2;
    return room < 0;
  });
  if (fitting < 0) return `${beginning}${names.join(', ')}.`;
  return `${beginning}${names.slice(0, fitting).join(', ')} and ${names.length - fitting} more.`;
}

export function formatSkillText({
  description,
  whenToUse,
}: Pick<Skill, 'description' | 'whenToUse'>): string {
  const text = whenToUse === undefined ? description : `${description} ${whenToUse}`;
  return escapeHarnessTags(visibleLine(text, maxEntryLength));
}

function line(name: string, text: string, limit: number): string {
  return text === '' ? `- ${name}` : `- ${name}: ${visibleLine(text, limit)}`;
}

function denies({ behaviour, tool, specifier }: Rule, name: string): boolean {
  if (behaviour !== 'deny' || tool !== 'Skill' || specifier === undefined) return false;
  return matchesName(specifier, name) || matchesName(specifier.replace(/(?: \*|:\*)$/, ''), name);
}
