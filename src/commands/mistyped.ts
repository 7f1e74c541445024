import { processIo } from '../headless/process-io.ts';
import { nearNames } from '../lib/text/near-names.ts';
import { visibleLine } from '../lib/text/text.ts';
import { readAnswer } from './ask/read-answer.ts';
import { CommandLine } from './table/command-line.ts';

/** A word in the place of a command that is not one. */
export interface MistypedCommand {
  word: string;
  at: number;
  /** What it would be a member of: `cadre worktree`. */
  parent: string;
  /** The likeliest command with a similar name. */
  meant: string | undefined;
  /** All names that are possible there. */
  names: string[];
  /** Besides a mistyped command it may be a prompt. */
  isPrompt: boolean;
}

/** Finds a mistyped command before anything is parsed: its flags would be reported as unknown ones of another command. */
export function findMistyped(argv: readonly string[]): MistypedCommand | undefined {
  const line = new CommandLine();
  for (const [at, word] of argv.entries()) {
    const { expectsCommand, path } = line;
    const role = line.pass(word);
    if (role === 'help' || line.isPrompt) return undefined;
    if (role !== 'argument') continue;
    return expectsCommand ? judgeWord(word, at, path, line, argv) : undefined;
  }
  return undefined;
}

function judgeWord(
  word: string,
  at: number,
  path: string,
  line: CommandLine,
  argv: readonly string[],
): MistypedCommand | undefined {
  const names = line.listChildren().flatMap((child) => child.names);
  if (names.length === 0 || line.entry?.takes !== undefined) return undefined;
  const found = { word, at, parent: `cadre ${path}`.trim(), names };
  if (path !== '') return { ...found, meant: nearNames(word, names)[0], isPrompt: false };
  const meant = argv.includes('--') || asksForAnswer(argv) ? undefined : findMeantCommand(word, names);
  return meant === undefined ? undefined : { ...found, meant, isPrompt: true };
}

/** `-p` makes every word a prompt, wherever it is. */
export function asksForAnswer(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const flags = end < 0 ? argv : argv.slice(0, end);
  return flags.includes('-p') || flags.includes('--print');
}

/** The command that a single mistyped word was meant to be. Of short words only a swap and a missing s count: too many are one letter away. */
function findMeantCommand(prompt: string, names: readonly string[]): string | undefined {
  if (!/^[a-z]{4,}$/i.test(prompt)) return undefined;
  return nearNames(prompt, names).find(
    (name) => prompt.length > 4 || name === `${prompt}s` || sortLetters(name) === sortLetters(prompt),
  );
}

function sortLetters(word: string): string {
  return [...word.toLowerCase()].sort().join('');
}

/** Asks the user which one was meant; without a terminal it is refused. Returns the corrected words, or the exit code. */
export async function askMeant(
  mistyped: MistypedCommand,
  argv: readonly string[],
): Promise<string[] | number> {
  const { at, meant, isPrompt } = mistyped;
  const io = processIo();
  const problem = describe(mistyped);
  if (!io.terminal || meant === undefined) {
    io.writeErr(`cadre: ${problem}\n${listWays(mistyped, argv)}\n`);
    return 2;
  }
  const corrected = argv.with(at, meant);
  io.terminal.show(`${problem}\n`);
  const ways = isPrompt ? 'y: run it, p: send it as a prompt, n' : 'y: run it, n';
  const typed = await readAnswer(io.terminal, `${visibleLine(writeLine(corrected), 100)} [${ways}] `);
  if (typed.kind === 'interrupt') return 130;
  const answer = typed.kind === 'line' ? typed.text.trim().toLowerCase() : '';
  if (/^y(?:es)?$/.test(answer)) return corrected;
  return isPrompt && /^p(?:rompt)?$/.test(answer) ? argv.toSpliced(at, 0, '--') : 2;
}

function describe({ word, parent, meant }: MistypedCommand): string {
  const question = meant === undefined ? '' : ` Did you mean "${parent} ${meant}"?`;
  const what = parent === 'cadre' ? 'a command' : `a command of ${parent}`;
  return `"${visibleLine(word, 60)}" is not ${what}.${question}`;
}

function listWays({ parent, names, isPrompt, at }: MistypedCommand, argv: readonly string[]): string {
  if (isPrompt) return `To send it as a prompt: ${visibleLine(writeLine(argv.toSpliced(at, 0, '--')), 200)}`;
  return `Commands: ${names.join(', ')}. See ${parent} --help.`;
}

function writeLine(words: readonly string[]): string {
  return ['cadre', ...words].map((word) => (/\s/.test(word) ? JSON.stringify(word) : word)).join(' ');
}
