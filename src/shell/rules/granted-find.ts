import { readLiteral, type ShellWord } from '../grammar/types.ts';
import { type Effect, here, type PathUse, unknown } from '../programs/effect.ts';
import { executing, findCommandEnd, isDateOf, splitFind } from '../programs/find.ts';
import { written } from '../programs/writer-uses.ts';
import { findPrimaries } from '../tables/find.data.ts';

/** `-delete` removes what is found, and `-fprint` writes a file; programs that it runs are judged separately. */
export function grantedFind(words: readonly ShellWord[]): Effect {
  const { starts } = splitFind(words);
  const uses: PathUse[] = [];
  const isPart = deletesPart(words.map((word) => readLiteral(word) ?? ''));
  for (let at = 1 + starts.length; at < words.length; at++) {
    const text = readLiteral(words[at]) ?? '';
    const file = words[at + 1];
    const count = findPrimaries.get(text) ?? writing.get(text);
    if (text === '-delete')
      uses.push(...(starts.length > 0 ? starts : [here]).map((word) => removed(word, isPart)));
    else if (executing.has(text)) at = findCommandEnd(words, at + 1);
    else if (count === undefined) return unknown(`find with ${words[at]?.text} may write a file`);
    else {
      const values = words.slice(at + 1, at + 1 + count);
      if (values.some((word) => !word.single || !isDateOf(text, word)))
        return unknown(`${text} of find has an unknown value`);
      if (writing.has(text) && file) uses.push(written(file));
      at += count;
    }
  }
  return { known: true, uses };
}

function removed(word: ShellWord, isPart: boolean): PathUse {
  return { kind: 'remove', word, whole: true, ...(isPart ? { isPart: true as const } : {}) };
}

/**
 * Only entries with a certain name, or empty ones. A test after `-delete`, or one of several alternatives, limits nothing.
 */
export function deletesPart(texts: readonly string[]): boolean {
  const before = texts.slice(
    0,
    texts.findIndex((text) => text === '-delete' || executing.has(text)),
  );
  if (texts.some((text) => /^(?:-o|-or|!|-not|,|[()])$/.test(text))) return false;
  return before.some((text, index) => {
    const value = before[index + 1] ?? '';
    if (text === '-empty') return true;
    if (/^-i?(?:path|wholename)$/.test(text)) return !/^[*./?]*$/.test(value);
    return /^-i?name$/.test(text) && !/^[*?]*$/.test(value);
  });
}

/** Number of words they take, the file first. */
const writing: ReadonlyMap<string, number> = new Map([
  ['-fprint', 1],
  ['-fprint0', 1],
  ['-fls', 1],
  ['-fprintf', 2],
]);
