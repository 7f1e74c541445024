import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What to say of a file that is not there: the directory that is missing, or names that are close. */
export function describeMissing(path: string, cwd: string): string {
  const parent = dirname(path);
  const missing = `There is no file ${path}.`;
  if (!existsSync(parent)) {
    const here = join(cwd, basename(path));
    const instead = existsSync(here) ? ` Did you mean ${here}?` : ` The working directory is ${cwd}.`;
    return `${missing} Its directory does not exist either.${instead}`;
  }
  const near = nearNames(basename(path), namesIn(parent));
  return near.length > 0
    ? `${missing} Close: ${near.map((name) => join(parent, name)).join(', ')}.`
    : missing;
}

export function nearNames(wanted: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, score: similarity(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ score }) => score >= 0.5)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** The share of neighbouring pairs of characters that two texts have in common, 0 to 1. */
export function similarity(a: string, b: string): number {
  if (a === b) return 1;
  if (a.length < 2 || b.length < 2) return 0;
  const pairs = new Map<string, number>();
  for (let at = 0; at < a.length - 1; at++) {
    const pair = a.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let common = 0;
  for (let at = 0; at < b.length - 1; at++) {
    const left = pairs.get(b.slice(at, at + 2)) ?? 0;
    if (left === 0) continue;
    pairs.set(b.slice(at, at + 2), left - 1);
    common++;
  }
  return (2 * common) / (a.length + b.length - 2);
}

const mostNames = 5000;

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).slice(0, mostNames);
  } catch {
    return [];
  }
}
