import { everything, literalValue, type ShellWord, type Value } from '../grammar/types.ts';
import type { PathUse } from '../programs/effect.ts';
import { here } from '../programs/effect.ts';

/**
 * The directories that `git grep` searches where it reads untracked files: those that its paths name, or its own directory.
 * For a path with git's own prefix signs the text does not say where it begins.
 */
export function searchedByGit(words: readonly ShellWord[], move: ShellWord | undefined): PathUse[] {
  const named = words.filter((word) => !word.values?.every(({ text }) => excluding.test(text)));
  const bases = move?.values?.map(({ text }) => text) ?? [''];
  const places = named.length > 0 ? named.map((word) => buildPlace(word, bases)) : [move ?? here];
  return places.map((word) => ({ kind: 'search', word, sweep: { ...everything, passesGit: true } }));
}

const excluding = /^:(?:[!^]|\([^)]*exclude[^)]*\))/;

function buildPlace(word: ShellWord, bases: readonly string[]): ShellWord {
  const { text, values } = word;
  if (!values || values.some((value) => value.text.startsWith(':'))) return { text, single: true };
  const named = values.flatMap((value) =>
    bases.map((base) =>
      base === '' || value.text.startsWith('/') ? fixedPart(value) : below(base, fixedPart(value)),
    ),
  );
  return { text, values: named, single: true };
}

/** Git has its own patterns, which cross slashes. */
function fixedPart({ text }: Value): Value {
  const parts = text.split('/');
  const wild = parts.findIndex((part) => /[*?[\\]/.test(part));
  if (wild < 0) return literalValue(text);
  return literalValue(parts.slice(0, wild).join('/') || (text.startsWith('/') ? '/' : '.'));
}

function below(base: string, { text }: Value): Value {
  return literalValue(`${base}/${text}`);
}
