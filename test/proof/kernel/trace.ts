import { posix } from 'node:path';

/** What the kernel was asked for. Attempts count as well as what succeeded. */
export interface Event {
  readonly kind: 'exec' | 'read' | 'write' | 'connect' | 'kill' | 'system';
  /** The program that asked, by its last name. */
  readonly program: string;
  /** Absolute, as given, and where it led if the kernel said so. */
  readonly path: string;
  readonly real?: string;
  readonly failed?: string;
  /** The call as it was traced. */
  readonly call: string;
}

export interface LineTrace {
  readonly events: readonly Event[];
}

interface Process {
  line: number;
  cwd: string;
  program: string;
  /** The shell that runs the line has been started. */
  hasBegun: boolean;
}

/** Cuts a trace into lines, by which process started which. */
export function readTrace(text: string): Map<number, LineTrace> {
  const reader = new Reader();
  const pending = new Map<string, string>();
  for (const raw of text.split('\n')) {
    const [, pid = '', rest = ''] = /^(\d+)\s+(.*)$/.exec(raw) ?? [];
    const whole = joinParts(pending, pid, rest);
    const call = whole === undefined ? undefined : readCall(whole);
    if (call) reader.take(pid, call);
  }
  reader.finish();
  return reader.lines;
}

class Reader {
  readonly lines = new Map<number, { events: Event[] }>();
  readonly #processes = new Map<string, Process>();
  /** A process may be traced before the call that made it returns. */
  readonly #unborn = new Map<string, { line: number; calls: Call[] }>();
  #driver: string | undefined;
  #current = -1;

  take(pid: string, call: Call): void {
    this.#driver ??= pid;
    if (pid === this.#driver) {
      this.#takeFromDriver(call);
      return;
    }
    const process = this.#processes.get(pid);
    if (!process) {
      const waiting = this.#unborn.get(pid) ?? { line: this.#current, calls: [] };
      waiting.calls.push(call);
      this.#unborn.set(pid, waiting);
    } else if (isFork(call)) this.#add(call.result, { ...process });
    else this.lines.get(process.line)?.events.push(...follow(call, process, this.#processes));
  }

  /** Whose beginning was not seen is counted, by the line that was running. */
  finish(): void {
    for (const [pid, { line }] of [...this.#unborn])
      this.#add(pid, { line, cwd: '/', program: '(unknown)', hasBegun: true });
  }

  #takeFromDriver(call: Call): void {
    const marker = /^\/marker\/(\d+)$/.exec(call.strings.at(-1) ?? '')?.[1];
    if (marker !== undefined) {
      this.#current = Number(marker);
      this.lines.set(this.#current, { events: [] });
    } else if (isFork(call) && this.#current >= 0)
      this.#add(call.result, { line: this.#current, cwd: '/', program: 'driver', hasBegun: false });
  }

  #add(pid: string, process: Process): void {
    this.#processes.set(pid, process);
    const { calls } = this.#unborn.get(pid) ?? { calls: [] };
    this.#unborn.delete(pid);
    for (const call of calls) this.take(pid, call);
  }
}

/** A call that another process interrupted is traced in two parts. */
function joinParts(pending: Map<string, string>, pid: string, rest: string): string | undefined {
  if (rest.endsWith('<unfinished ...>')) {
    pending.set(pid, rest.slice(0, -'<unfinished ...>'.length).trimEnd());
    return undefined;
  }
  const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
  if (!resumed) return rest;
  const first = pending.get(pid) ?? '';
  pending.delete(pid);
  return first + (resumed[1] ?? '');
}

interface Call {
  readonly name: string;
  readonly args: string;
  readonly result: string;
  readonly failed?: string;
  readonly strings: readonly string[];
  /** Paths, each joined with the descriptor before it. */
  readonly paths: readonly { path: string; from?: string }[];
  /** Where the descriptor that was returned leads. */
  readonly real?: string;
  readonly descriptors: readonly string[];
}

function readCall(text: string): Call | undefined {
  const match = /^(\w+)\((.*)\)\s+= (\?|-?\d+|0x[\da-f]+)(.*)$/.exec(text) ?? /^(\w+)\((.*)()()$/.exec(text);
  if (!match) return undefined;
  const [, name = '', args = '', result = '', rest = ''] = match;
  const strings: string[] = [];
  const paths: { path: string; from?: string }[] = [];
  const descriptors: string[] = [];
  let from: string | undefined;
  for (const token of args.matchAll(/"((?:[^"\\]|\\.)*)"|(?:AT_FDCWD|-?\d+)<((?:[^>\\]|\\.)*)>/g)) {
    if (token[1] === undefined) {
      from = decodeText(token[2] ?? '');
      descriptors.push(from);
      continue;
    }
    const path = decodeText(token[1]);
    strings.push(path);
    paths.push({ path, ...(from === undefined ? {} : { from }) });
    from = undefined;
  }
  const failed = result.startsWith('-') ? /\b(E[A-Z]+)\b/.exec(rest)?.[1] : undefined;
  const real = /^<((?:[^>\\]|\\.)*)>/.exec(rest)?.[1];
  return {
    ...{ name, args, result, strings, paths, descriptors },
    ...(failed === undefined ? {} : { failed }),
    ...(real === undefined ? {} : { real: decodeText(real) }),
  };
}

/** Each byte beyond ASCII is traced by its number. */
function decodeText(text: string): string {
  const named: Record<string, string> = { n: '\n', t: '\t', r: '\r', v: '\v', f: '\f' };
  const bytes = text.replace(/\\([0-7]{1,3}|.)/g, (_, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (named[code] ?? code),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function isFork({ name, failed }: Call): boolean {
  return failed === undefined && ['clone', 'clone3', 'fork', 'vfork'].includes(name);
}

function follow(call: Call, process: Process, processes: Map<string, Process>): Event[] {
  const [first] = call.paths;
  if (first?.from !== undefined && call.args.startsWith('AT_FDCWD<')) process.cwd = first.from;
  if (call.name === 'chdir') {
    if (call.failed === undefined) process.cwd = posix.resolve(process.cwd, first?.path ?? '');
    return [];
  }
  if (call.name === 'fchdir') {
    process.cwd = call.descriptors[0] ?? process.cwd;
    return [];
  }
  if (call.name.startsWith('execve') && call.failed === undefined) {
    const begins = !process.hasBegun && process.program === 'timeout';
    process.program = programOf(call);
    if (begins) {
      process.hasBegun = true;
      return [];
    }
  }
  return process.hasBegun ? eventsOf(call, process, processes) : [];
}

function eventsOf(call: Call, process: Process, processes: Map<string, Process>): Event[] {
  const base = {
    program: process.program,
    call: `${call.name}(${call.args}) = ${call.result}${call.failed ? ` ${call.failed}` : ''}`,
    ...(call.failed === undefined ? {} : { failed: call.failed }),
    ...(call.real === undefined ? {} : { real: call.real }),
  };
  const absolute = call.paths.map(({ path, from }) => posix.resolve(from ?? process.cwd, path));
  const { name } = call;
  if (name.startsWith('execve'))
    return call.failed === 'ENOENT' || call.failed === 'ENOTDIR'
      ? []
      : [{ ...base, kind: 'exec', path: absolute[0] ?? '' }];
  if (name === 'open' || name === 'openat' || name === 'openat2') {
    // It can neither be read nor written by such a descriptor.
    if (/O_PATH/.test(call.args)) return [];
    return usesOfOpen(call.args).map((kind) => ({ ...base, kind, path: absolute[0] ?? '' }));
  }
  if (name === 'connect' || name === 'bind' || name === 'sendto')
    return /sa_family=/.test(call.args) ? [{ ...base, kind: 'connect', path: addressOf(call.args) }] : [];
  if (name.endsWith('kill')) {
    const target = /^-?\d+/.exec(call.args)?.[0] ?? '';
    const isOwn = processes.get(target)?.line === process.line || target === '0';
    return isOwn ? [] : [{ ...base, kind: 'kill', path: target }];
  }
  if (systemCalls.has(name)) return [{ ...base, kind: 'system', path: name }];
  const written = writtenBy(name, absolute);
  return (written.length > 0 ? written : call.descriptors).map((path) => ({ ...base, kind: 'write', path }));
}

/** By `O_RDWR` what is there can be read, and what is not yet there can be made. */
function usesOfOpen(args: string): ('read' | 'write')[] {
  const isWritten = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(args);
  const isRead = !/O_WRONLY/.test(args) && !(/O_TRUNC/.test(args) || /O_EXCL/.test(args));
  return [...(isWritten ? (['write'] as const) : []), ...(isRead ? (['read'] as const) : [])];
}

/** Of a link the target is no file that is written; attributes have a name and a value besides. */
function writtenBy(name: string, strings: readonly string[]): readonly string[] {
  if (name.startsWith('symlink')) return strings.slice(-1);
  if (!name.includes('xattr')) return strings;
  return name.startsWith('f') ? [] : strings.slice(0, 1);
}

/** What describe runs to refresh the index is told from git itself. */
function programOf({ strings }: Call): string {
  const name = posix.basename(strings[0] ?? '');
  return name === 'git' && strings[2] === 'update-index' ? 'git update-index' : name;
}

const systemCalls: ReadonlySet<string> = new Set([
  ...[
    'ptrace',
    'mount',
    'umount2',
    'pivot_root',
    'chroot',
    'setns',
    'unshare',
    'sethostname',
    'settimeofday',
  ],
  ...['clock_settime', 'reboot', 'swapon', 'init_module', 'bpf', 'shmget', 'mq_open'],
]);

function addressOf(args: string): string {
  const family = /sa_family=(\w+)/.exec(args)?.[1] ?? '';
  return family === 'AF_UNIX' ? `unix ${/sun_path=@?"([^"]*)"/.exec(args)?.[1] ?? ''}` : `${family} ${args}`;
}
