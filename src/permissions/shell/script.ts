import type { Access } from '../../protocol/permission.ts';
import { classify } from './classify.ts';
import type { Effect, PathUse } from './effect.ts';
import { parseShell } from './parse.ts';
import type { ParsedShell, SimpleCommand } from './types.ts';
import { resolveUse } from './uses.ts';

export type ShellAccess = Extract<Access, { kind: 'shell' }>;

/** A command with what it does by itself. */
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
}

/** One call is judged several times over: by the ceiling, the role, the rules and the mode. */
const read = new WeakMap<ShellAccess, { home: string; script: Script }>();

export function readScript(access: ShellAccess, home: string): Script {
  const before = read.get(access);
  if (before?.home === home) return before.script;
  const parsed = parseShell(access.command, { cwd: access.cwd, home });
  const script = { parsed, commands: parsed.commands.map((command) => judged(command, parsed.functions)) };
  read.set(access, { home, script });
  return script;
}

function judged(command: SimpleCommand, functions: ReadonlySet<string>): JudgedCommand {
  const redirects = command.redirects.map(({ access, target }): PathUse => ({ kind: access, word: target }));
  const isRunning = command.wrapper !== undefined;
  return {
    command,
    effect: classify(command, functions),
    redirects,
    inner: isRunning ? command.inner.map((inner) => judged(inner, functions)) : [],
  };
}

/** Every command, with those that others run. */
export function* allCommands(commands: readonly JudgedCommand[]): Generator<JudgedCommand> {
  for (const one of commands) {
    yield one;
    yield* allCommands(one.inner);
  }
}

/** Why a script is not one that changes nothing; undefined when it is. */
export function changeOf({ parsed, commands }: Script): string | undefined {
  const [problem] = parsed.problems;
  if (problem) return problem;
  for (const { command, effect, redirects } of allCommands(commands)) {
    if (!effect.known) return effect.reason;
    const uses = [...effect.uses, ...redirects];
    const write = uses.find((use) => !isLook(use));
    if (write) return `it writes ${write.word.text}`;
    const unclear = uses.find((use) => resolveUse(use, command.directories) === undefined);
    if (unclear) return `which file ${unclear.word.text} is cannot be told`;
  }
  return undefined;
}

function isLook({ kind, word }: PathUse): boolean {
  if (kind !== 'write' && kind !== 'remove') return true;
  return word.values?.every((value) => /^\/dev\/(?:null|stdout|stderr)$/.test(value.text)) === true;
}
