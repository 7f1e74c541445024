/**
 * The patterns of which every name that a find expression prints matches one; undefined when it may print others. Read
 * are only plain forms: tests one after the other, `-o` between them, and parentheses around names alone.
 */
export function printedNames(words: readonly (string | undefined)[]): readonly string[] | undefined {
  const branches = splitBranches(words);
  if (!branches) return undefined;
  const hasAction = words.some((word) => word !== undefined && actions.test(word));
  const printing = hasAction ? branches.filter((branch) => branch.isPrinting) : branches;
  if (printing.some((branch) => branch.names === undefined)) return undefined;
  return printing.flatMap((branch) => branch.names ?? []);
}

const actions = /^-(?:print|print0|ls|printf|exec|execdir|ok|okdir)$/;
const nameTest = /^-i?name$/;

interface Branch {
  names?: readonly string[];
  isPrinting: boolean;
}

function splitBranches(words: readonly (string | undefined)[]): Branch[] | undefined {
  const branches: Branch[] = [{ isPrinting: false }];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const branch = branches.at(-1);
    if (word === undefined || word === ',' || word === ')' || !branch) return undefined;
    if (word === '-o' || word === '-or') branches.push({ isPrinting: false });
    else if (word === '(') {
      const group = readGroup(words, at + 1);
      if (!group) return undefined;
      branch.names ??= group.names;
      at = group.end;
    } else if (word === '!' || word === '-not') {
      // What is not wanted narrows nothing that matters here; its value is no test.
      if (words[at + 1] === '(') return undefined;
      at += flags.test(words[at + 1] ?? '') ? 1 : 2;
    } else if (nameTest.test(word)) {
      const pattern = words[++at];
      if (pattern === undefined) return undefined;
      branch.names ??= [pattern];
    } else if (actions.test(word)) {
      branch.isPrinting = true;
      if (word.startsWith('-exec') || word.startsWith('-ok')) at = endOfCommand(words, at + 1);
      if (word === '-printf') at++;
    } else if (!flags.test(word)) at++;
  }
  return branches;
}

/** `( -name a -o -name b )`. */
function readGroup(
  words: readonly (string | undefined)[],
  from: number,
): { names: string[]; end: number } | undefined {
  const names: string[] = [];
  for (let at = from; at < words.length; at += 3) {
    const [test, pattern, next] = [words[at], words[at + 1], words[at + 2]];
    if (test === undefined || pattern === undefined || !nameTest.test(test)) return undefined;
    names.push(pattern);
    if (next === ')') return { names, end: at + 2 };
    if (next !== '-o' && next !== '-or') return undefined;
  }
  return undefined;
}

function endOfCommand(words: readonly (string | undefined)[], from: number): number {
  const end = words.findIndex(
    (word, index) => index >= from && (word === ';' || (word === '+' && words[index - 1] === '{}')),
  );
  return end < 0 ? words.length : end;
}

/** Words of find that take no value; all others that it knows take one. */
const flags =
  /^-(?:a|and|true|false|prune|quit|depth|d|mount|xdev|empty|daystart|noleaf|readable|writable|executable|nouser|nogroup|ignore_readdir_race|P)$/;
