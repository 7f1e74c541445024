import { literalWord, readLiteral, type ShellWord } from '../grammar/types.ts';
import type { PathUse } from '../programs/effect.ts';
import { readArguments } from '../programs/flags.ts';
import { listFileUses } from '../programs/writer-uses.ts';
import { gitCommands } from '../tables/git.data.ts';
import { findGitFlags, findGitSubcommand } from '../tables/git-subcommands.data.ts';
import { type Runner, runners } from '../tables/runners.data.ts';

/** Open points of a rule for a command that runs other programs. */
export interface RunnerCheck {
  /** Why the rule does not cover it. */
  readonly fault?: string;
  /** Files that options name. */
  readonly uses: readonly PathUse[];
}

/**
 * Whether the words after those that a rule spells out could change which program runs. `spelled` says for each word of the
 * command whether the rule has it.
 */
export function checkRunner(words: readonly ShellWord[], spelled: readonly boolean[]): RunnerCheck {
  const found = findRunner(words);
  if (!found) return { uses: [] };
  const { name, runner, head } = found;
  const count = spelled.filter(Boolean).length;
  // A rule for everything that a runner can do is the user's decision.
  if (!runner.always && count <= 1) return { uses: [] };
  const fault = findHeadFault(found, words, spelled) ?? findActionFault(found, words, spelled);
  if (fault) return { fault, uses: [] };
  return checkWords(
    name,
    runner,
    words.filter((_, index) => index >= head && !spelled[index]),
  );
}

function checkWords(name: string, runner: Runner, open: readonly ShellWord[]): RunnerCheck {
  const read = readArguments(runner.isGo ? open.map(doubled) : open, {
    ...{ why: '', flags: runner.flags, operands: 'text', allowed: true, numbers: true },
    ...(runner.values ? { values: runner.values } : {}),
  });
  if (typeof read === 'string') return { fault: `the rule for ${name} does not cover it: ${read}`, uses: [] };
  // After `--` nothing is an option, but still an operand, unless it goes to another program.
  const split = runner.behind ? (read.separator ?? read.operands.length) : read.operands.length;
  const { operands } = runner;
  const odd = read.operands
    .slice(0, split)
    .find((word) => operands && !operands.test(readLiteral(word) ?? word.text));
  if (odd) return { fault: `the rule for ${name} does not cover ${odd.text}`, uses: [] };
  const behind = faultBehind(name, runner, read.operands.slice(split));
  return { ...(behind ? { fault: behind } : {}), uses: listFileUses(read) };
}

function faultBehind(name: string, { behind = '' }: Runner, words: readonly ShellWord[]): string | undefined {
  if (behind === 'any' || words.length === 0) return undefined;
  const read = readArguments(words, { why: '', flags: behind, operands: 'text', allowed: true });
  return typeof read === 'string' ? `the rule for ${name} does not cover it after --: ${read}` : undefined;
}

interface FoundRunner {
  readonly name: string;
  readonly runner: Runner;
  /** Number of words that say what runs. */
  readonly head: number;
  /** The subcommand of git. */
  readonly subcommand?: string;
}

function findRunner(words: readonly ShellWord[]): FoundRunner | undefined {
  const texts = words.map(readLiteral);
  const program = texts[0]?.replace(/^.*\//s, '') ?? '';
  if (program === 'git') return findGit(texts);
  const isModule = /^python[\d.]*$/.test(program) && texts[1] === '-m';
  const start = isModule || launchers.has(`${program} ${texts[1]}`) ? 2 : launchers.has(program) ? 1 : 0;
  const name = start === 0 ? program : (texts[start] ?? '');
  const second = texts[start + 1] ?? '';
  const key = [`${name} ${second}`, `${name} *`].find((one) => Object.hasOwn(runners, one));
  const runner = key === undefined ? undefined : runners[key];
  if (!runner) return undefined;
  const isCommand = /^[a-z]/.test(second) && start === 0 && !runner.always && name !== 'make';
  return { name: isCommand ? `${name} ${second}` : name, runner, head: start + (isCommand ? 2 : 1) };
}

/** They are followed by a program with its own words. */
export const launchers: ReadonlySet<string> = new Set([
  ...['npx', 'bunx', 'pnpx', 'uvx', 'npm exec', 'pnpm exec', 'yarn exec', 'pnpm dlx', 'yarn dlx'],
  ...['uv run', 'poetry run', 'pipenv run', 'pdm run', 'hatch run', 'rye run'],
]);

function findGit(texts: readonly (string | undefined)[]): FoundRunner | undefined {
  let at = 1;
  while (texts[at]?.startsWith('-')) at += valued.has(texts[at] ?? '') ? 2 : 1;
  const name = texts[at];
  if (name === undefined) return { name: 'git', runner: findGitRunner(''), head: texts.length };
  // Read-only commands run without programs of the repository, except for options that read submodules.
  const looking = Object.hasOwn(gitCommands, name) ? gitCommands[name] : undefined;
  const runner: Runner = looking
    ? { flags: `${looking.flags} ${lookingUnderRule}`, values: looking.values, behind: 'any', always: true }
    : findGitRunner(name);
  return { name: `git ${name}`, runner, head: at + 1, subcommand: name };
}

function findGitRunner(name: string): Runner {
  return { flags: findGitFlags(name), operands: plainAddress, behind: 'any', always: true };
}

/** Not `ext::x` or `ext://x`: git runs a helper of that name for an address that it does not know itself. */
const plainAddress = /^(?![\w+.-]+::|(?!(?:https?|ssh|git|file|ftps?|git\+ssh|ssh\+git):)[\w+.-]+:\/\/)/s;

/** The programs that these run are switched off, and the written file is judged. */
const lookingUnderRule = '--ext-diff --textconv --output>';

const valued: ReadonlySet<string> = new Set([
  ...['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env', '--super-prefix'],
]);
/** Options before git's subcommand that run no other program. */
const gitGlobal = /^(?:-C|--no-pager|--no-optional-locks|--literal-pathspecs|--no-replace-objects|-P)$/;

/** The words up to git's subcommand: known options, and a subcommand that is known unless the rule spells it. */
function findHeadFault(
  { head, subcommand, name }: FoundRunner,
  words: readonly ShellWord[],
  spelled: readonly boolean[],
): string | undefined {
  if (!name.startsWith('git')) return undefined;
  const odd = words.slice(0, head).find((word, index) => {
    const text = readLiteral(word);
    if (index === 0 || spelled[index]) return false;
    if (text === undefined) return true;
    return isBeforeCommand(words, index) && text.startsWith('-') && !gitGlobal.test(text);
  });
  if (odd) return `the rule for git does not cover ${odd.text}`;
  if (subcommand === undefined || spelled[head - 1]) return undefined;
  const known = findGitSubcommand(subcommand);
  return known && !known.is.has('spelled')
    ? undefined
    : `the rule for git does not cover git ${subcommand}, which may run other programs; a rule that begins with these words does`;
}

/** The word that says what some subcommands run, unless the rule has it. */
function findActionFault(
  { head, subcommand = '', name }: FoundRunner,
  words: readonly ShellWord[],
  spelled: readonly boolean[],
): string | undefined {
  const known = findGitSubcommand(subcommand);
  if (!known?.actions) return undefined;
  const rest = words.slice(head);
  const read = readArguments(rest, {
    why: '',
    flags: known.flags,
    operands: 'text',
    allowed: true,
    numbers: true,
  });
  // Options that the rule spells need not be known.
  const first = typeof read === 'string' ? rest.find((word) => !isOption(word)) : read.operands[0];
  if (first && spelled[words.indexOf(first)]) return undefined;
  return known.actions.test(first ? (readLiteral(first) ?? '-') : '')
    ? undefined
    : `the rule for ${name} does not cover ${first?.text ?? name}`;
}

function isOption(word: ShellWord): boolean {
  return readLiteral(word)?.startsWith('-') === true;
}

function isBeforeCommand(words: readonly ShellWord[], index: number): boolean {
  for (let at = 1; at < index; at++) {
    const text = readLiteral(words[at]) ?? '';
    if (!text.startsWith('-')) return false;
    if (valued.has(text)) at++;
  }
  return true;
}

function doubled(word: ShellWord): ShellWord {
  const text = readLiteral(word);
  return text !== undefined && /^-[A-Za-z]/.test(text) ? literalWord(`-${text}`) : word;
}
