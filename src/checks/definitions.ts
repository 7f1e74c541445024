import { join } from 'node:path';
import { hashBytes } from '../lib/hash.ts';
import { configurationFiles } from './configuration.data.ts';
import type { ProjectFiles } from './project-files.ts';
import { checkNames, type FoundCheck, type FoundChecks, isFound, type ProjectCheckName } from './types.ts';

/** What says what a check does, so that it can be compared with what said it earlier. */
export interface CheckDefinition {
  command: string;
  cwd: string;
  source: string;
  /** A hash of each text that has a say, by where it stands. */
  parts: Readonly<Record<string, string>>;
}

export type CheckDefinitions = { [Name in ProjectCheckName]?: CheckDefinition };

export function defineChecks(found: FoundChecks, listing: ProjectFiles): CheckDefinitions {
  return Object.fromEntries(
    checkNames.flatMap((name) => {
      const check = found[name];
      return isFound(check) ? [[name, defineCheck(check, listing)]] : [];
    }),
  );
}

function defineCheck(check: FoundCheck, listing: ProjectFiles): CheckDefinition {
  const { name, command, cwd, source, definition = {} } = check;
  const parts = { ...definition };
  const wanted = configurationFiles[name].map(toPattern);
  for (const file of listing.names(cwd)) {
    const path = join(cwd, file);
    if (wanted.some((pattern) => pattern.test(file))) parts[path] ??= listing.read(path) ?? '';
  }
  const hashed = Object.entries(parts).map(([place, text]) => [place, hashBytes(text)]);
  return { command, cwd, source, parts: Object.fromEntries(hashed) };
}

/**
 * Checks that are not what they were, each with the reason: work that changed what a check does is not shown by that check. One
 * that was added counts, too: only the work itself says what it checks.
 */
export function findRedefined(
  before: CheckDefinitions,
  now: CheckDefinitions,
): { [Name in ProjectCheckName]?: string } {
  return Object.fromEntries(
    checkNames.flatMap((name) => {
      const reason = explainChange(before[name], now[name]);
      return reason === undefined ? [] : [[name, reason]];
    }),
  );
}

function explainChange(
  before: CheckDefinition | undefined,
  now: CheckDefinition | undefined,
): string | undefined {
  // What a lockfile's own audit looks at changes with every package.
  if ((now ?? before)?.source.startsWith('lockfile ')) return undefined;
  if (!before) return now && `There was no such check at first: ${now.source} was added.`;
  if (!now) return `${before.source} named it at first, and does no longer.`;
  const { parts } = before;
  const places = [...Object.keys(parts), ...Object.keys(now.parts)];
  const changed = places.find((place) => parts[place] !== now.parts[place]);
  if (changed !== undefined) return `${changed}, which says what it does, was changed.`;
  return before.command === now.command && before.cwd === now.cwd
    ? undefined
    : `It was "${before.command}" in ${before.cwd} at first, and is "${now.command}" in ${now.cwd}.`;
}

function toPattern(name: string): RegExp {
  return new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
}
