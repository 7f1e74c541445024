import { resolve } from 'node:path';
import { goesUp, joinPath } from '../../workspace/paths.ts';
import { readLiteral, type SimpleCommand } from '../grammar/types.ts';

const maxDirectories = 8;

/**
 * The targets of a `cd` that succeeds: one of exactly these. Empty when the text does not say; undefined when it is not a
 * `cd`.
 */
export function findTargets(command: SimpleCommand, home: string): readonly string[] | undefined {
  const [name, target, more] = command.words;
  if (!/^(?:cd|pushd|chdir)$/.test(readLiteral(name) ?? '')) return undefined;
  if (more !== undefined || command.assignments.length > 0) return [];
  const paths = target === undefined ? [home] : readTargets(target);
  const all = command.directories.flatMap((from) => paths.flatMap((path) => listTargets(from, path)));
  return all.length > maxDirectories ? [] : [...new Set(all)];
}

/** A word that may become a pattern, an option or nothing may lead anywhere. */
function readTargets({ values = [], single }: SimpleCommand['words'][number]): string[] {
  const isKnown = values.every(({ text, isPattern }) => !isPattern && text !== '' && !text.startsWith('-'));
  const isOne = single || values.every(({ text }) => !/\s/.test(text));
  return isKnown && isOne ? values.map(({ text }) => text) : [];
}

/** The shell resolves `link/..` by its text, and follows the link where there is no such directory. */
function listTargets(from: string, path: string): string[] {
  const folded = resolve(from, path);
  return goesUp(path) && /[^./]/.test(path) ? [folded, joinPath(from, path)] : [folded];
}

/** The directories that a command may run in after either way; empty when unknown. */
export function union(a: readonly string[], b: readonly string[]): readonly string[] {
  if (a === b) return a;
  // Unknown stays unknown.
  if (a.length === 0 || b.length === 0) return [];
  const all = [...new Set([...a, ...b])];
  return all.length > maxDirectories ? [] : all;
}
