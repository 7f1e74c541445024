import type { ShellDialect } from '../grammar/dialect.ts';
import {
  buildFoundNames,
  literalWord,
  readLiteral,
  type ShellWord,
  type SimpleCommand,
} from '../grammar/types.ts';
import { foundWord, splitFind } from '../programs/find.ts';
import { isLaunching } from '../programs/launchers.ts';
import { readEnvCommand } from './env-command.ts';
import type { Steps } from './steps.ts';
import { skipFlags } from './wrapper-flags.ts';
import { readXargs, type XargsOptions } from './xargs.ts';

/** The shell that runs it. `guess`: it may not be a script, so errors in it say nothing. */
export type Nesting = ShellDialect | 'guess';

export interface Unwrapping {
  /** The dialect of the script that contains the command. */
  readonly dialect: ShellDialect;
  readonly steps: Steps;
  /** How many commands run this one, each through the next. */
  readonly depth: number;
  /** The commands of a script in a word. */
  nested(text: string, from: SimpleCommand, how: Nesting): SimpleCommand[];
  leaveUnread(problem: string): void;
}

const maxWrappers = 50;

/** Adds the commands that a command would run itself, as far as its text says. */
export function unwrap(command: SimpleCommand, how: Unwrapping): SimpleCommand {
  how.steps.spend(command);
  if (how.steps.areSpent) return command;
  if (how.depth > maxWrappers) {
    how.leaveUnread(`it runs a command through more than ${maxWrappers} others`);
    return command;
  }
  const name = readCommandName(command);
  if (name === undefined) return command;
  const written = readLiteral(command.words[0]);
  if (written !== name && written !== `/bin/${name}` && written !== `/usr/bin/${name}`)
    return wrappers.has(name) || runsWords(name, command)
      ? hide(command, `${written} is not the known ${name}`, how)
      : command;
  if (shells.has(name)) return unwrapShell(command, how);
  switch (name) {
    case 'eval':
      return unwrapEval(command, how);
    case 'find':
      return unwrapFind(command, how);
    case 'xargs':
      return unwrapXargs(command, how);
    case 'env':
      return unwrapEnv(command, how);
    case 'command':
      // With these it only looks up a name.
      if (/^-[vVp]*[vV]/.test(readLiteral(command.words[1]) ?? '')) return command;
      break;
    case 'sudo':
    case 'doas':
      return hide(unwrapFlags(command, name, how), 'it runs with other privileges', how);
  }
  if (opaque.has(name) || runsWords(name, command))
    return hide(
      command,
      later.has(name) ? `${name} may set what the shell runs later` : `${name} runs what it is given`,
      how,
    );
  return name in throughFlags ? unwrapFlags(command, name, how) : command;
}

function unwrapInner(command: SimpleCommand, how: Unwrapping): SimpleCommand {
  return unwrap(command, { ...how, depth: how.depth + 1 });
}

/** A package manager that is told to run a program, or the loader that starts all programs. */
function runsWords(name: string, command: SimpleCommand): boolean {
  return isLaunching(name, command) || /^ld(?:-.*)?\.so(?:\.\d+)*$/.test(name);
}

/** By its last part: `/usr/bin/timeout` is still a wrapper, though not a known tool. */
function readCommandName(command: SimpleCommand): string | undefined {
  const name = readLiteral(command.words[0]);
  return name?.slice(name.lastIndexOf('/') + 1).toLowerCase();
}

/** Options of those that run the rest of their words as a command; `:` takes a value. Operands come before it. */
const throughFlags: Record<string, { flags: string; operands?: number }> = {
  timeout: {
    flags: '-k: -s: -v --foreground --preserve-status --kill-after: --signal: --verbose',
    operands: 1,
  },
  time: { flags: '-p' },
  nice: { flags: '-n: --adjustment: -[0-9]+' },
  ionice: { flags: '-c: -n: -t -c[0-3] -n[0-7]' },
  nohup: { flags: '' },
  stdbuf: { flags: '-i: -o: -e: -i[0L] -o[0L] -e[0L]' },
  command: { flags: '-p' },
  builtin: { flags: '' },
  noglob: { flags: '' },
  sudo: { flags: '-u: -g: -E -H -n -S -i -s -k --user: --preserve-env' },
  doas: { flags: '-u: -n' },
};

function unwrapFlags(command: SimpleCommand, name: string, how: Unwrapping): SimpleCommand {
  const { flags, operands = 0 } = throughFlags[name] ?? { flags: '' };
  const at = skipFlags(command.words, 1, flags);
  if (at === undefined) return hide(command, `${name} with these options may run something else`, how);
  const inside = command.words.slice(at + operands);
  const first = command.words.slice(at, at + operands);
  if (inside.length === 0) return hide(command, `${name} without a command`, how);
  if (first.some((word) => !/^[\d.]+[smhd]?$/.test(readLiteral(word) ?? '')))
    return hide(command, `it is unclear which command ${name} runs`, how);
  return { ...command, wrapper: { kind: 'through' }, inner: [unwrapInner(bare(command, inside), how)] };
}

function unwrapEnv(command: SimpleCommand, how: Unwrapping): SimpleCommand {
  // An option could remove what keeps git from running programs of the repository.
  let at = skipFlags(command.words, 1, '');
  if (at === undefined || readLiteral(command.words[at]) === '-')
    return hide(withEnvCommand(command, how), 'env with these options may change what runs', how);
  const assignments = [...command.assignments];
  for (; at < command.words.length; at++) {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(readLiteral(command.words[at]) ?? '') ?? [];
    if (name === undefined) break;
    assignments.push({ name, word: literalWord(value ?? '') });
  }
  const inside = command.words.slice(at);
  if (inside.length === 0) return command;
  return {
    ...command,
    wrapper: { kind: 'through' },
    inner: [unwrapInner({ ...bare(command, inside), assignments }, how)],
  };
}

/** Refusing rules see the command after its options. */
function withEnvCommand(command: SimpleCommand, how: Unwrapping): SimpleCommand {
  const { text, rest = [] } = readEnvCommand(command.words) ?? {};
  if (text === undefined)
    return rest.length > 0 ? { ...command, inner: [unwrapInner(bare(command, rest), how)] } : command;
  const words = rest.map((word) => readLiteral(word) ?? word.text);
  return { ...command, inner: how.nested([text, ...words].join(' '), command, 'guess') };
}

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'mksh']);

/** Only `-c` with a script that is in the text, in a shell whose grammar this is. */
function unwrapShell(command: SimpleCommand, how: Unwrapping): SimpleCommand {
  if (command.words.length === 2 && readLiteral(command.words[1]) === '--version') return command;
  if (checkedScript(command)) return command;
  const at = command.words.findIndex((word) => /^-[eux]*c$/.test(readLiteral(word) ?? ''));
  const plain = command.words.slice(1, at).every((word) => /^-[eux]+$/.test(readLiteral(word) ?? ''));
  const script = at > 0 ? readLiteral(command.words[at + 1]) : undefined;
  if (script === undefined) {
    const hidden = hide(command, 'a shell runs a script that is not part of the command', how);
    const isFed = command.words.slice(1).every((word) => /^-[a-z]*$/.test(readLiteral(word) ?? ''));
    return isFed ? { ...hidden, wrapper: { ...hidden.wrapper, kind: 'opaque', isFed } } : hidden;
  }
  if (!plain || !/^(?:sh|bash|dash)$/.test(readCommandName(command) ?? ''))
    return hide(
      command,
      'a shell with these options, or of this kind, may read the text in another way',
      how,
    );
  const dialect = readCommandName(command) === 'bash' ? 'bash' : 'sh';
  return { ...command, wrapper: { kind: 'runs' }, inner: how.nested(script, command, dialect) };
}

/** The script that a shell only checks for errors: `bash -n FILE`. */
export function checkedScript({ words }: SimpleCommand): ShellWord | undefined {
  const [shell = '', option, file, ...more] = words.map(readLiteral);
  const isCheck = /^(?:\/(?:usr\/)?bin\/)?(?:ba|da)?sh$/.test(shell) && option === '-n' && more.length === 0;
  return isCheck && file !== undefined && /^[^-+]/.test(file) ? words[2] : undefined;
}

function unwrapEval(command: SimpleCommand, how: Unwrapping): SimpleCommand {
  const words = command.words.slice(1).map(readLiteral);
  if (words.some((word) => word === undefined)) return hide(command, 'eval runs computed text', how);
  return { ...command, wrapper: { kind: 'runs' }, inner: how.nested(words.join(' '), command, how.dialect) };
}

function unwrapFind(command: SimpleCommand, how: Unwrapping): SimpleCommand {
  const parts = splitFind(command.words);
  const { executed } = parts;
  if (executed.length === 0) return command;
  const found = foundWord(parts);
  const inner = executed.map(({ words, isElsewhere, isMany }) => {
    const replaced = words.map((word) =>
      holds(word, '{}') ? { ...putName(word, '{}', found), single: !isMany } : word,
    );
    const own = bare(command, replaced);
    return unwrapInner(isElsewhere ? { ...own, directories: [] } : own, how);
  });
  return { ...command, wrapper: { kind: 'runs' }, inner };
}

function unwrapXargs(command: SimpleCommand, how: Unwrapping): SimpleCommand {
  const options = readXargs(command.words);
  if (typeof options === 'string') return hide(command, options, how);
  const { at, replaced, splits } = options;
  const given = command.words.slice(at);
  const names = namesTaken(command, splits);
  const fill = (word: ShellWord) =>
    replaced !== undefined && holds(word, replaced) ? putName(word, replaced, names) : word;
  const words = given.length === 0 ? [literalWord('echo')] : given.map(fill);
  const inside = replaced === undefined ? [...words, names] : words;
  return { ...command, wrapper: { kind: 'runs' }, inner: [unwrapInner(bare(command, inside), how)] };
}

/** The items that it reads, where their source is known; their names are known only if they are split as written. */
function namesTaken({ takesNames }: SimpleCommand, splits: XargsOptions['splits']): ShellWord {
  const input: ShellWord = { text: '(input)', single: false, isInput: true };
  if (!takesNames || splits === 'other' || (takesNames.zero && splits !== 'zero')) return input;
  const taken = splits === 'blanks' ? 'xargs' : 'line';
  return { text: '(names)', values: buildFoundNames(takesNames, taken), single: false };
}

/** By its value: quotes may be between the two halves of a mark. */
function holds(word: ShellWord, mark: string): boolean {
  return word.values === undefined || word.values.some((value) => value.text.includes(mark));
}

/** A word with a name filled in: that name alone is known, text around it is not. */
function putName(word: ShellWord, place: string, names: ShellWord): ShellWord {
  if (readLiteral(word) === place) return { ...names, text: word.text, single: true };
  return { text: word.text, single: true, ...(names.isInput ? { isInput: names.isInput } : {}) };
}

/** Redirections, pipes and assignments belong to the outer command; they are judged there. */
function bare(command: SimpleCommand, words: readonly ShellWord[]): SimpleCommand {
  return { ...command, words, assignments: [], redirects: [], inner: [] };
}

/** Not everything it runs is in the text; scripts that may be in its words are kept for refusing rules. */
function hide(command: SimpleCommand, reason: string, how: Unwrapping): SimpleCommand {
  const words = command.words.slice(1).flatMap((word) => findScripts(readLiteral(word) ?? ''));
  const aliases = command.assignments.map(({ word }) => readLiteral(word) ?? '');
  const fed = command.input ?? [];
  const scripts = [...words, ...fed, ...(readLiteral(command.words[0]) === 'alias' ? aliases : [])].filter(
    (text) => text.length < 8192,
  );
  const inner = scripts.slice(0, 20).flatMap((text) => how.nested(text, command, 'guess'));
  return { ...command, wrapper: { kind: 'opaque', reason }, inner: [...command.inner, ...inner] };
}

/** A script that is a whole word, after an equals sign, or joined to the letters of options. */
function findScripts(word: string): string[] {
  const joined = /^-[A-Za-z]/.test(word) ? [2, 3, 4].map((size) => word.slice(size)) : [];
  const [, value] = /^[\w-]+=(.*)$/s.exec(word) ?? [];
  return [...(value === undefined ? [word] : [value]), ...joined].filter((text) => /[\s;|&]/.test(text));
}

/** They run nothing themselves, and some forms only list what is set. */
const later: ReadonlySet<string> = new Set(['trap', 'alias', 'hash', 'enable']);

const opaque: ReadonlySet<string> = new Set([
  ...[
    'su',
    'exec',
    'source',
    '.',
    'trap',
    'alias',
    'hash',
    'enable',
    'setsid',
    'flock',
    'script',
    'strace',
    'ltrace',
    'gdb',
    'watch',
  ],
  ...[
    'parallel',
    'busybox',
    'toybox',
    'chroot',
    'unshare',
    'nsenter',
    'ssh',
    'docker',
    'podman',
    'fish',
    'csh',
  ],
  ...[
    'tcsh',
    'entr',
    'expect',
    'dbus-run-session',
    'systemd-run',
    'at',
    'batch',
    'crontab',
    'tmux',
    'screen',
  ],
  ...[
    'setpriv',
    'setarch',
    'linux32',
    'linux64',
    'i386',
    'x86_64',
    'uname26',
    'fakeroot',
    'faketime',
    'proot',
  ],
  ...['firejail', 'bwrap', 'unbuffer', 'rlwrap', 'cpulimit', 'numactl', 'eatmydata', 'catchsegv', 'torsocks'],
  ...['proxychains', 'proxychains4', 'valgrind', 'rr', 'sg', 'newgrp', 'capsh', 'choom', 'nix-shell'],
  ...['npx', 'bunx', 'pnpx', 'uvx', 'runuser', 'pkexec', 'chrt', 'taskset', 'prlimit', 'hyperfine', 'perf'],
]);

/** Every program that is known here to run another one. */
export const wrappers: ReadonlySet<string> = new Set([
  ...opaque,
  ...shells,
  ...Object.keys(throughFlags),
  ...['env', 'xargs', 'find', 'eval'],
]);
