import { findPrimaries } from '../tables/find.data.ts';

/**
 * The patterns of which every name that a find expression prints matches one; undefined when it may print others. Only plain
 * forms are supported: tests one after the other, `-o` between them, and parentheses around names alone.
 */
export function printedNames(words: readonly (string | undefined)[]): readonly string[] | undefined {
  const branches = splitBranches(words);
  if (!branches) return undefined;
  const acting = branches.filter((branch) => branch.acts);
  // Without an action it prints everything that matches.
  if (acting.length === 0) return branches.some(({ names }) => !names) ? undefined : listNames(branches);
  return acting.some((branch) => branch.actsOnAny) ? undefined : listNames(acting);
}

const actions = /^-(?:print|print0|ls|printf|exec|execdir|ok|okdir)$/;
const nameTest = /^-i?name$/;
const negation = /^(?:!|-not)$/;

interface Branch {
  names?: readonly string[];
  acts?: true;
  /** Before any name test narrowed what it acts on. */
  actsOnAny?: true;
}

function listNames(branches: readonly Branch[]): string[] {
  return branches.flatMap(({ names }) => names ?? []);
}

function splitBranches(words: readonly (string | undefined)[]): Branch[] | undefined {
  const branches: Branch[] = [{}];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const branch = branches.at(-1);
    if (word === undefined || word === ',' || word === ')' || !branch) return undefined;
    const isNegated = negation.test(words[at - 1] ?? '');
    if (word === '-o' || word === '-or') branches.push({});
    else if (word === '(') {
      const group = isNegated ? undefined : readGroup(words, at + 1);
      if (!group) return undefined;
      branch.names ??= group.names;
      at = group.end;
    } else if (actions.test(word)) {
      branch.acts = true;
      if (!branch.names) branch.actsOnAny = true;
      if (word.startsWith('-exec') || word.startsWith('-ok')) at = findCommandEnd(words, at + 1);
      if (word === '-printf') at++;
    } else {
      const count = findPrimaries.get(word);
      const value = words[at + 1];
      if (count === undefined || (count > 0 && value === undefined)) return undefined;
      // A negated test narrows nothing that matters here.
      if (nameTest.test(word) && !isNegated && value !== undefined) branch.names ??= [value];
      at += count;
    }
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

function findCommandEnd(words: readonly (string | undefined)[], from: number): number {
  const end = words.findIndex(
    (word, index) => index >= from && (word === ';' || (word === '+' && words[index - 1] === '{}')),
  );
  return end < 0 ? words.length : end;
}

/**
 * Whether a find expression surely leaves out what is in `.git`: it begins by not entering it, or each name is tested before
 * anything else. Only plain forms are supported.
 */
export function passesGit(words: readonly (string | undefined)[]): boolean {
  const texts = words.map((word) => word ?? '');
  // Then what is in a directory comes before the directory itself.
  if (texts.some((text) => /^-(?:d|depth|delete)$/.test(text))) return false;
  const pruned =
    /^(?:\( )?(?:-type d )?(?:-name \.git|-path (?:\.|\*)\/\.git)(?: -type d)?(?: \))? -prune -o /;
  if (pruned.test(`${texts.join(' ')} `)) return true;
  if (texts.some((text) => /^(?:-o|-or|,|\()$/.test(text))) return false;
  const first = texts.findIndex((text) => actions.test(text));
  const tests = first < 0 ? texts : texts.slice(0, first);
  return tests.some(
    (text, at) =>
      /^-(?:path|wholename)$/.test(text) &&
      negation.test(tests[at - 1] ?? '') &&
      /^\*\/\.git(?:\/\*|\*)$/.test(tests[at + 1] ?? ''),
  );
}
