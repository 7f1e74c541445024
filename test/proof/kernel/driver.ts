import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Layout } from './layout.ts';
import { quote } from './maker.ts';
import { type LineTrace, readTrace } from './trace.ts';

/** A line to be run in a copy of a layout. */
export interface Job {
  readonly line: string;
  readonly cwd: string;
  readonly shell: 'bash' | 'dash';
  /** Of the command; the harness's own choice for this line. */
  readonly env: Readonly<Record<string, string>>;
  /** It is expected to change files, so the copy is renewed after it. */
  readonly changes: boolean;
}

export interface Ran {
  readonly trace: LineTrace;
  readonly output: string;
}

/** Runs lines one after the other in one traced process, without network, in a copy of the layout that is thrown away. */
export async function runJobs(layout: Layout, jobs: readonly Job[]): Promise<Ran[]> {
  const work = mkdtempSync(join(tmpdir(), 'cadre-traced-'));
  try {
    writeJobs(work, jobs);
    writeFileSync(join(work, 'start.sh'), startScript(layout));
    writeFileSync(join(work, 'drive.sh'), driveScript);
    await runConfined(layout, work, jobs.length);
    const traces = readTrace(readFileSync(join(work, 'trace'), 'utf8'));
    return jobs.map((_, index) => {
      const trace = traces.get(index);
      if (!trace) throw new Error(`line ${index} of ${jobs.length} was not run in ${layout.name}`);
      return { trace, output: readFileSync(join(work, `out.${index}`), 'utf8').slice(0, 200_000) };
    });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function writeJobs(work: string, jobs: readonly Job[]): void {
  const environments = new Map<string, number>();
  mkdirSync(work, { recursive: true });
  const rows = jobs.map((job, index) => {
    const exports = Object.entries(job.env)
      .map(([name, value]) => `export ${name}=${quote(value)}\n`)
      .join('');
    const known = environments.get(exports) ?? environments.size;
    if (!environments.has(exports)) writeFileSync(join(work, `env.${known}`), exports);
    environments.set(exports, known);
    writeFileSync(join(work, `line.${index}`), job.line);
    return [index, job.shell, known, job.changes ? 'renew' : 'keep', job.cwd].join('\t');
  });
  writeFileSync(join(work, 'jobs'), rows.map((row) => `${row}\n`).join(''));
}

/** Copies are made by a process that is not traced: they would fill the trace. */
function startScript({ base }: Layout): string {
  return `
# What is mounted there stays: it cannot be removed, and is empty in the pristine copy.
renew() { find ${quote(base)} -xdev -mindepth 1 -delete 2> /dev/null; cp -ax /tmp/pristine/. ${quote(base)}/; }
renew
mkfifo /tmp/ask /tmp/done /tmp/pause
( while read -r wish < /tmp/ask; do renew; echo > /tmp/done; done ) &
strace -f -y --seccomp-bpf -qq -s 200 -e signal=none -e trace=${tracedCalls.join(',')} -o /tmp/work/trace bash --noprofile --norc /tmp/work/drive.sh
`;
}

/** The failing open before each line cuts the trace. */
const driveScript = `
while IFS=$'\\t' read -r number shell environment after cwd; do
  { : < "/marker/$number"; } 2> /dev/null
  (
    exec < /dev/null > "/tmp/work/out.$number" 2>&1
    IFS= read -rd '' line < "/tmp/work/line.$number"
    cd -- "$cwd"
    . "/tmp/work/env.$environment"
    export PWD="$cwd"
    ulimit -f 2000
    options=()
    if [ "$shell" = bash ]; then options=(--noprofile --norc); fi
    exec timeout -k 1 2 "/bin/$shell" "\${options[@]}" -c "$line"
  ) &
  group=$!
  wait "$group"
  # What goes on in the background belongs to the line: it gets a moment, then it is ended.
  for moment in {1..20}; do kill -0 -- "-$group" 2> /dev/null || break; read -rt 0.03 _ <> /tmp/pause; done
  kill -KILL -- "-$group" 2> /dev/null
  if [ "$after" = renew ]; then echo > /tmp/ask; read -r _ < /tmp/done; fi
done < /tmp/work/jobs
`;

export const tracedCalls: readonly string[] = [
  ...['execve', 'execveat', 'clone', 'clone3', 'fork', 'vfork', 'chdir', 'fchdir', 'kill', 'tkill', 'tgkill'],
  ...['open', 'openat', 'openat2', 'creat', 'rename', 'renameat', 'renameat2', 'unlink', 'unlinkat', 'rmdir'],
  ...[
    'link',
    'linkat',
    'symlink',
    'symlinkat',
    'mkdir',
    'mkdirat',
    'mknod',
    'mknodat',
    'truncate',
    'ftruncate',
  ],
  ...[
    'chmod',
    'fchmod',
    'fchmodat',
    'chown',
    'fchown',
    'lchown',
    'fchownat',
    'utime',
    'utimes',
    'utimensat',
    'futimesat',
  ],
  ...['setxattr', 'lsetxattr', 'fsetxattr', 'removexattr', 'lremovexattr', 'fremovexattr'],
  ...['connect', 'bind', 'sendto', 'ptrace', 'mount', 'umount2', 'pivot_root', 'chroot', 'setns', 'unshare'],
  ...[
    'sethostname',
    'settimeofday',
    'clock_settime',
    'reboot',
    'swapon',
    'init_module',
    'bpf',
    'shmget',
    'mq_open',
  ],
];

async function runConfined({ base, fixed = [] }: Layout, work: string, count: number): Promise<void> {
  const args = [
    ...[
      '--unshare-pid',
      '--as-pid-1',
      '--unshare-net',
      '--unshare-ipc',
      '--unshare-uts',
      '--die-with-parent',
      '--new-session',
    ],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--tmpfs', base],
    ...['--ro-bind', base, '/tmp/pristine'],
    ...fixed.flatMap((path) => ['--tmpfs', join('/tmp/pristine', path)]),
    ...fixed.flatMap((path) => ['--ro-bind', join(base, path), join(base, path)]),
    ...['--bind', work, '/tmp/work', '--chdir', '/'],
    ...['--clearenv', '--setenv', 'PATH', searchPath, '--setenv', 'LC_ALL', 'C'],
    ...['/bin/bash', '--noprofile', '--norc', '/tmp/work/start.sh'],
  ];
  const child = spawn('bwrap', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let problem = '';
  child.stderr.on('data', (chunk: Buffer) => {
    problem = (problem + chunk).slice(-2000);
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), 60_000 + count * 5000);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  clearTimeout(limit);
  if (code === null) throw new Error(`the traced run of ${count} lines did not end: ${problem}`);
}

export const searchPath = '/usr/local/bin:/usr/bin:/bin';

/** Whether this machine confines and traces at all. */
export function canTrace(): boolean {
  const bwrap = ['--unshare-pid', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev'];
  const tried = spawnSync('bwrap', [...bwrap, 'strace', '-f', '--seccomp-bpf', '-o', '/dev/null', 'true']);
  return tried.status === 0;
}
