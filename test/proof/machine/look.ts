import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Look = ReadonlyMap<string, string>;

/** Every file that differs from the machine below: where, what it is, and when anything of it last changed. */
export function lookAtFiles(upper: string): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (directory: string) => {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      const stat = lstatSync(path, { throwIfNoEntry: false });
      if (!stat) continue;
      found.set(path.slice(upper.length), describeFile(path, stat));
      if (stat.isDirectory()) walk(path);
    }
  };
  walk(upper);
  return found;
}

function describeFile(path: string, stat: NonNullable<ReturnType<typeof lstatSync>>): string {
  const mode = `${stat.mode.toString(8)} ${stat.uid}`;
  // That an overlay marks as removed.
  if (stat.isCharacterDevice() && Number(stat.rdev) === 0) return 'removed';
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  if (stat.isDirectory()) return `directory ${mode}`;
  if (!stat.isFile()) return `special ${mode}`;
  // No program can set the time at which a file was last changed in any way. Another name for it changes that too.
  const version = stat.nlink === 1 ? stat.ctimeMs : `${stat.mtimeMs} ${hashOf(path, stat.size)}`;
  return `file of ${stat.size} bytes ${mode} ${version}`;
}

function hashOf(path: string, size: number | bigint): string {
  return size > 1 << 20 ? '' : createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 12);
}

/** Settings of the running kernel, as far as they stay the same by themselves. */
export function openValues(): { changed(): string[] } {
  const files = ['/proc/sys', '/sys/module', '/sys/kernel/mm', '/sys/power', '/sys/kernel/uevent_helper']
    .flatMap((top) => filesBelow(top, 6))
    .filter((path) => !/\/(?:random\/|drop_caches|compact_memory|wakeup_count|refcnt|initstate)/.test(path));
  const first = readAll(files);
  // What differs a moment later differs by itself.
  const steady = new Map([...readAll(files)].filter(([path, value]) => first.get(path) === value));
  return {
    changed: () =>
      [...readAll([...steady.keys()])].flatMap(([path, value]) => {
        const before = steady.get(path);
        if (before === undefined || before === value || isCounter(before, value)) return [];
        putBack(path, before);
        return [`${path}: ${before.trim()} became ${value.trim()}, and was put back`];
      }),
  };
}

function putBack(path: string, value: string): void {
  try {
    writeFileSync(path, value);
  } catch {}
}

/** Several numbers in one file: what the kernel counts. */
function isCounter(before: string | undefined, after: string): boolean {
  return (
    [before, after].every((text) => /^[\d\s]+$/.test(text ?? '')) && (before ?? '').split(/\s+/).length > 2
  );
}

function readAll(paths: readonly string[]): Map<string, string> {
  return new Map(
    paths.flatMap((path) => {
      try {
        return [[path, readFileSync(path, 'utf8')] as const];
      } catch {
        return [];
      }
    }),
  );
}

function filesBelow(path: string, depth: number): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat || stat.isSymbolicLink()) return [];
  // What cannot be written is no setting, and what cannot be read has no value to compare.
  if (stat.isFile()) return (stat.mode & 0o600) === 0o600 ? [path] : [];
  if (depth === 0) return [];
  try {
    return readdirSync(path).flatMap((name) => filesBelow(join(path, name), depth - 1));
  } catch {
    return [];
  }
}

/** Sockets and System V objects that exist in the machine of this process. */
export function lookAtKernelObjects(pid: number): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of ['tcp', 'tcp6', 'udp', 'udp6', 'raw', 'unix']) {
    const lines = readLines(`/proc/${pid}/net/${name}`).slice(1);
    for (const line of lines) {
      const fields = line.trim().split(/\s+/);
      // Local address of those that listen, and the name of Unix sockets; not connections that end.
      const isListening =
        name === 'unix' ? fields.length > 7 : fields[3] === '0A' || /^(?:udp|raw)/.test(name);
      if (isListening) found.set(`${name} ${name === 'unix' ? fields[7] : fields[1]}`, 'open');
    }
  }
  for (const line of readLines(`/proc/${pid}/mountinfo`)) found.set(`mount ${line.split(' ')[4]}`, 'mounted');
  return found;
}

/** A process and all that it started, by number, with their command lines. */
export function processesBelow(top: number): Map<number, string> {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readLines(`/proc/${name}/stat`)[0] ?? '';
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state !== 'Z') parents.set(Number(name), Number(parent));
  }
  const found = new Map<number, string>();
  const isBelow = (pid: number): boolean => pid === top || (pid > 1 && isBelow(parents.get(pid) ?? 0));
  for (const pid of parents.keys())
    if (isBelow(pid)) found.set(pid, (readLines(`/proc/${pid}/cmdline`)[0] ?? '').replaceAll('\0', ' '));
  return found;
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

export function differences(before: Look, after: Look): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name}: ${before.get(name) ?? 'nothing'} became ${after.get(name) ?? 'nothing'}`);
}
