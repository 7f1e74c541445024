import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type RealPath, RealPlaces } from '../../lib/files/real-places.ts';
import type { ToolContext } from '../../protocol/tool.ts';
import { isWithin } from '../../workspace/paths.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';

/**
 * The message for a missing file: the missing directory, or similar names. Only files that the agent
 * may read is named, and only from the directory that the call was judged for.
 */
export function describeMissing(path: string, context: ToolContext): string {
  const missing = `File not found: ${path}.`;
  const judged = context.judged(path);
  if (judged === undefined) return missing;
  const names = listNames(dirname(judged) as RealPath);
  if (names === undefined)
    return `${missing} Its directory does not exist either. ${describeElsewhere(basename(path), context)}`;
  const near = nearNames(basename(path), names)
    .map((name) => join(dirname(path), name))
    .filter((name) => context.mayRead(name));
  return near.length > 0 ? `${missing} Similar names: ${near.join(', ')}.` : missing;
}

function describeElsewhere(name: string, { directory }: ToolContext): string {
  const here = join(directory.current, name);
  const real = resolveRealPath(here);
  const places = new RealPlaces();
  const isThere = isWithin(real, resolveRealPath(directory.root)) && places.look(real).state === 'found';
  places.close();
  return isThere ? `Did you mean ${here}?` : `The working directory is ${directory.current}.`;
}

export function nearNames(wanted: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, score: similarity(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ score }) => score >= 0.5)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** The share of adjacent character pairs that two strings have in common, 0 to 1. */
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

const maxNames = 5000;

/** Undefined if there is no such directory. */
function listNames(directory: RealPath): string[] | undefined {
  const places = new RealPlaces();
  try {
    const held = places.directory(directory);
    if (held.state === 'missing') return undefined;
    return held.state === 'found' ? readdirSync(held.value).slice(0, maxNames) : [];
  } catch {
    return [];
  } finally {
    places.close();
  }
}
