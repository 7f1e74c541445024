import { type Effect, here, type PathUse, unknown } from './effect.ts';
import { splitFind } from './find.ts';
import { literalOf, type ShellWord } from './types.ts';
import { written } from './writer-uses.ts';

/** `-delete` removes what is found, and `-fprint` writes a file; programs that it runs are judged by themselves. */
export function grantedFind(words: readonly ShellWord[]): Effect {
  const uses: PathUse[] = [];
  const plain: ShellWord[] = [];
  let deletes = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const text = literalOf(word);
    const count = writing.get(text ?? '');
    if (!word) break;
    if (text === '-delete') deletes = true;
    else if (count !== undefined) {
      const target = words[at + 1];
      if (target) uses.push(written(target));
      at += count;
    } else plain.push(word);
  }
  const { starts, fault } = splitFind(plain);
  if (fault) return unknown(fault);
  const places = starts.length > 0 ? starts : [here];
  const removed = places.map((word): PathUse => ({ kind: 'remove', word, whole: true }));
  return { known: true, uses: [...uses, ...(deletes ? removed : [])] };
}

/** How many words they take, the file first. */
const writing: ReadonlyMap<string, number> = new Map([
  ['-fprint', 1],
  ['-fprint0', 1],
  ['-fls', 1],
  ['-fprintf', 2],
]);
