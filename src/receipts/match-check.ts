import { resolve } from 'node:path';
import type { CheckCommand } from '../protocol/receipt.ts';
import { harmlessVariables, launchers, type Spelling, sameWords, spellings } from './check-spellings.data.ts';
import type { SeenCall } from './evidence.ts';

export interface MatchedCheck {
  check: CheckCommand;
  /** Other checks ran in the same line: it passed if all did, and which one failed is not known. */
  isAmongOthers: boolean;
}

/**
 * The check that a call ran, in the directory of the check: its command, or the same in other words. In `check || true` or
 * `check | tail` the exit code is not the check's, so a line with anything but plain words and `&&` is compared word for word.
 */
export function matchCheck(
  { command, receipt }: SeenCall,
  wanted: readonly CheckCommand[],
  known: readonly CheckCommand[] = wanted,
): MatchedCheck | undefined {
  if (command === undefined || receipt?.cwd === undefined) return undefined;
  const plain = withoutJoinedErrors(command.trim());
  const exact = wanted.find((one) => plain === one.command.trim() && one.cwd === receipt.cwd);
  if (exact) return { check: exact, isAmongOthers: false };
  const ran = listRuns(plain, receipt.cwd, known);
  const check = wanted.find((one) => ran?.some((other) => isSame(one, other)));
  return check && ran ? { check, isAmongOthers: ran.some((other) => !isSame(check, other)) } : undefined;
}

/** The checks of a line in which nothing else runs that could fail or change the shell. */
function listRuns(line: string, start: string, known: readonly CheckCommand[]): CheckCommand[] | undefined {
  let cwd = start;
  const ran: CheckCommand[] = [];
  for (const step of line.split('&&').map((one) => withoutJoinedErrors(one.trim()))) {
    const to = /^cd ([\w./@+][\w./@+-]*)$/.exec(step)?.[1];
    if (to !== undefined) cwd = resolve(cwd, to);
    else if (!/^echo [\w .,:!-]*$/.test(step)) {
      // A check's own text need not be plain words.
      const words = readWords(step);
      const found = known.find(
        (one) =>
          one.cwd === cwd && (one.command.trim() === step || (words && readWords(one.command) === words)),
      );
      if (!found) return undefined;
      ran.push(found);
    }
  }
  return ran;
}

function isSame(one: CheckCommand, other: CheckCommand): boolean {
  if (one.cwd !== other.cwd) return false;
  return (
    one.command === other.command || (readWords(one.command) ?? one.command) === readWords(other.command)
  );
}

function withoutJoinedErrors(command: string): string {
  return command.replace(/ 2>&1$/, '').trim();
}

/** The words that say what runs. Undefined where there is more than plain words. */
function readWords(command: string): string | undefined {
  if (!/^[\w./:=,@%+ \t-]+$/.test(command)) return undefined;
  const given = withoutWrapper(command.trim().split(/[ \t]+/));
  const launcher = launchers.find((one) => given.join(' ').startsWith(`${one} `));
  const own = launcher === undefined ? given : given.slice(2);
  const named = rename(own);
  const spelling = spellings.find(({ programs }) => programs.includes(named[0] ?? ''));
  const words = rename(spelling ? withoutFlags(named, spelling) : named);
  return [...(launcher === undefined ? [] : [launcher]), ...words].join(' ');
}

/** `CI=1`, `time` and `timeout 60` in front of a command leave its exit code as it is. */
function withoutWrapper(words: readonly string[]): readonly string[] {
  const [first = '', second = ''] = words;
  const variable = /^(\w+)=/.exec(first)?.[1];
  if (variable !== undefined && harmlessVariables.includes(variable)) return withoutWrapper(words.slice(1));
  if (first === 'time') return withoutWrapper(words.slice(1));
  if (first === 'timeout' && /^\d+[smh]?$/.test(second)) return withoutWrapper(words.slice(2));
  return words;
}

function rename(words: readonly string[]): readonly string[] {
  const line = `${words.join(' ')} `;
  const same = sameWords.find(([from]) => line.startsWith(`${from} `));
  if (!same) return words;
  return rename(`${same[1]} ${line.slice(same[0].length + 1)}`.trim().split(' '));
}

function withoutFlags(words: readonly string[], { flags, later = [] }: Spelling): readonly string[] {
  const end = words.indexOf('--');
  const own = dropFlags(end < 0 ? words : words.slice(0, end), flags);
  const rest = end < 0 ? [] : dropFlags(words.slice(end + 1), later);
  return rest.length === 0 ? own : [...own, '--', ...rest];
}

function dropFlags(words: readonly string[], flags: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const next = words[at + 1];
    if (next !== undefined && flags.some((flag) => fitsWithValue(flag, word, next))) at++;
    else if (!flags.some((flag) => fits(flag, word))) kept.push(word);
  }
  return kept;
}

function fits(flag: string, word: string): boolean {
  if (flag.includes(' ')) return false;
  return flag.endsWith('*') ? word.startsWith(flag.slice(0, -1)) : word === flag;
}

function fitsWithValue(flag: string, word: string, value: string): boolean {
  const [name, of] = flag.split(' ');
  if (of === undefined || name !== word) return false;
  return of === '*' ? !value.startsWith('-') : of === '#' ? /^\d+$/.test(value) : of === value;
}
