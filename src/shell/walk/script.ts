import { listKnown, untold } from '../../lib/told.ts';
import type { Look } from '../../places/look.ts';
import { isOddName } from '../../places/look-below.ts';
import type { Access } from '../../protocol/permission.ts';
import type { ShellDialect } from '../grammar/dialect.ts';
import { parseShell } from '../grammar/parse.ts';
import { isSocketName } from '../grammar/sockets.ts';
import { literalWord, type ParsedShell, readLiteral, type SimpleCommand } from '../grammar/types.ts';
import { describeSocket, describeUnclear, resolveUse } from '../judge/uses.ts';
import { classify } from '../programs/classify.ts';
import type { Effect, PathUse } from '../programs/effect.ts';
import { breakWords, findBroken, findNamesTaken, type NamesTaken } from './broken-names.ts';

export type ShellAccess = Extract<Access, { kind: 'shell' }>;

/** A command with its own effect. */
export interface JudgedCommand {
  readonly command: SimpleCommand;
  readonly effect: Effect;
  /** The files that it is redirected to or from. */
  readonly redirects: readonly PathUse[];
  readonly inner: readonly JudgedCommand[];
}

export interface Script {
  readonly parsed: ParsedShell;
  readonly commands: readonly JudgedCommand[];
  /** Every command, including those that others run. */
  readonly all: readonly JudgedCommand[];
}

interface ReadScript {
  command: string;
  cwd: string;
  home: string;
  dialect: ShellDialect;
  parsed: ParsedShell;
  taken: NamesTaken;
  /** By which of the names break, in the workspace at that time. */
  scripts: Map<string, Script>;
}

/** One call is judged several times: by the ceiling, the role, the rules and the mode. */
const read = new WeakMap<ShellAccess, ReadScript>();
/** And again when it runs, with another access of the same text. */
const latest: { read?: ReadScript } = {};

/** The home, and the shell that runs the script: bash unless given. */
export interface ShellPlace {
  readonly userHome: string;
  /** The home of another user of this machine. */
  findHome?(user: string): string | undefined;
  readonly dialect?: ShellDialect;
  /** Resolves links. */
  realPath?(path: string): string;
  /** For checking names that a search finds: some are split on their way to a command. */
  readonly look?: Look;
}

export function readScript(access: ShellAccess, place: ShellPlace): Script {
  const { parsed, taken, scripts, home } = parseOnce(access, place);
  const judgeOnce = (broken: ReadonlySet<string>): Script => {
    const key = [...broken].join('\n');
    const script = scripts.get(key) ?? judgeAll(broken.size > 0 ? breakWords(parsed, broken) : parsed, home);
    scripts.set(key, script);
    return script;
  };
  const whole = judgeOnce(new Set());
  if (taken.size === 0) return whole;
  return judgeOnce(makesOddName(whole) ? new Set(taken.keys()) : findBroken(taken, place.look));
}

/** Whether the line itself creates a name that breaks: a search finds it before it could be checked. */
function makesOddName({ all }: Script): boolean {
  return all.some(({ effect, redirects }) =>
    [...(effect.known ? effect.uses : []), ...redirects].some(
      ({ kind, word }) =>
        kind === 'write' &&
        (!word.values || word.values.some(({ text, isPattern }) => !isPattern && isOddName(text))),
    ),
  );
}

function parseOnce(access: ShellAccess, place: ShellPlace): ReadScript {
  const { userHome: home, findHome, dialect = 'bash' } = place;
  const before = read.get(access) ?? latest.read;
  const isSameText = before?.command === access.command && before.cwd === access.cwd;
  if (isSameText && before.home === home && before.dialect === dialect) return before;
  const parsed = parseShell(access.command, {
    ...{ cwd: access.cwd, home, dialect },
    ...(findHome ? { findHome } : {}),
  });
  const own = { command: access.command, cwd: access.cwd, home, dialect };
  latest.read = { ...own, parsed, taken: findNamesTaken(parsed), scripts: new Map() };
  read.set(access, latest.read);
  return latest.read;
}

function judgeAll(parsed: ParsedShell, home: string): Script {
  const known = new Map<string, Effect>();
  const commands = parsed.commands.map((command) => judged(command, known, home));
  return { parsed, commands, all: flatten(commands) };
}

function judged(command: SimpleCommand, known: Map<string, Effect>, home: string): JudgedCommand {
  const redirects = command.redirects.map(
    ({ access, target }): PathUse =>
      access === 'write' ? { kind: access, word: target, pours: true } : { kind: access, word: target },
  );
  const isRunning = command.wrapper !== undefined;
  return {
    command,
    effect: withHome(command, classifyOnce(command, known), home),
    redirects,
    inner: isRunning ? command.inner.map((inner) => judged(inner, known, home)) : [],
  };
}

/** Without a directory `cd` goes home. */
function withHome({ words: [first, ...rest] }: SimpleCommand, effect: Effect, home: string): Effect {
  const isHome = readLiteral(first) === 'cd' && rest.every((word) => /^-./.test(readLiteral(word) ?? ''));
  return effect.known && isHome
    ? { ...effect, uses: [...effect.uses, { kind: 'enter', word: literalWord(home) }] }
    : effect;
}

/** Long scripts repeat themselves. A command that is fully in the text does the same each time. */
function classifyOnce(command: SimpleCommand, known: Map<string, Effect>): Effect {
  if (command.wrapper || command.assignments.length > 0) return classify(command);
  let key = '';
  for (const word of command.words) {
    const text = readLiteral(word);
    if (text === undefined) return classify(command);
    key += `${text}\0`;
  }
  const before = known.get(key);
  if (before) return before;
  const effect = classify(command);
  known.set(key, effect);
  return effect;
}

function flatten(commands: readonly JudgedCommand[], into: JudgedCommand[] = []): JudgedCommand[] {
  for (const one of commands) {
    into.push(one);
    if (one.inner.length > 0) flatten(one.inner, into);
  }
  return into;
}

/** Why a script may change something; undefined when it does not. */
export function findChange({ parsed, all }: Script): string | undefined {
  const [problem] = parsed.problems;
  if (problem) return problem;
  for (const { command, effect, redirects } of all) {
    if (!effect.known) return effect.reason;
    const uses = [...effect.uses, ...redirects];
    const write = uses.find((use) => !isLook(use));
    if (write) return `it writes ${write.word.text}`;
    const unclear = uses.find((use) => resolveUse(use, command.directories) === untold);
    if (unclear) return describeUnclear(unclear);
    const socket = uses.find((use) =>
      listKnown(resolveUse(use, command.directories)).some(({ path }) => isSocketName(path)),
    );
    if (socket) return describeSocket(socket);
  }
  return undefined;
}

function isLook({ kind, word, pours }: PathUse): boolean {
  if (kind !== 'write' && kind !== 'remove') return true;
  return (
    pours === true &&
    word.values?.every((value) => /^\/dev\/(?:null|stdout|stderr)$/.test(value.text)) === true
  );
}
