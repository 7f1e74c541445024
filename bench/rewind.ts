/**
 * The cost of being able to undo a command: the same command without a sandbox and without a snapshot, in the
 * sandbox, and in the sandbox with a snapshot of 5,000 files, in turns, in one run. The command changes a file each time.
 * `bun bench/rewind.ts [rounds] [files]`. Exits with 1 if the cost is above the promise.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../src/lib/clock.ts';
import { Fifos } from '../src/lib/files/fifo.ts';
import { ok } from '../src/lib/result.ts';
import type { ConfinementScope } from '../src/protocol/sandbox.ts';
import type { ShellEnvironment, WatchedCommand } from '../src/protocol/tool.ts';
import { chooseSandbox } from '../src/sandbox/choose.ts';
import { openSandbox } from '../src/sandbox/open.ts';
import { startWithShell } from '../src/session/lead/machine-tools.ts';
import { noSettings } from '../src/settings/merge.ts';
import { WorkspaceSnapshot } from '../src/store/snapshot/workspace-snapshot.ts';
import { startShell } from '../src/tools/bash/process.ts';

const promisedMs = 15;
const rounds = Number(process.argv[2] ?? 60);
const files = Number(process.argv[3] ?? 5000);
/** Between two commands a model is asked, which takes longer than this. */
const thinkingMs = 100;
// Not below /tmp, which has costs that real work does not.
const dist = join(import.meta.dirname, '..', 'dist');
mkdirSync(dist, { recursive: true });
const top = mkdtempSync(join(dist, 'bench-'));
const [cwd, userHome] = [join(top, 'work'), join(top, 'user')];
const home = join(userHome, '.cadre');
mkdirSync(home, { recursive: true });
for (let index = 0; index < files; index++) {
  const path = join(cwd, 'src', `part-${index % 20}`, `module-${index % 300}`);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, `file-${index}.ts`), `export const value = ${index};\n`.repeat(40));
}
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], { cwd });
git('init', '-q');
git('add', '-A');
git('commit', '-qm', 'Start');

const settings = noSettings().sandbox;
const directory = join(home, 'sandbox');
const sandbox = openSandbox({
  ...{ settings, home, userHome, directory, notify: console.error, given: () => [] },
  ...{ environment: { PATH: process.env.PATH ?? '', HOME: userHome }, isRoot: process.getuid?.() === 0 },
  choose: () => chooseSandbox({ settings, platform: process.platform, arch: process.arch, directory }),
});
const fifos = new Fifos(() => top);
const env = { PATH: process.env.PATH ?? '', HOME: userHome };
let noted = 0;
const snapshot = new WorkspaceSnapshot({
  ...{ directory: join(home, 'kept'), journal: join(home, 'snapshot.jsonl'), roots: () => [cwd] },
  ...{ env, userHome, clock: systemClock, isEdited: () => false, isApart: () => false },
  append(record) {
    if (record.type === 'file-history') noted++;
    return ok(undefined);
  },
});

const kinds = ['bare', 'bare, snapshot', 'sandbox', 'sandbox, snapshot'] as const;
type Kind = (typeof kinds)[number];
const times = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
const begins: number[] = [];

const scope: ConfinementScope = { writes: 'workspace', directories: [cwd], rules: [] };
const unwatched: WatchedCommand = { moveToBackground() {}, end() {}, notices: async () => [] };

async function run(kind: Kind, round: number): Promise<number> {
  const isConfined = kind.startsWith('sandbox');
  const start = performance.now();
  const prepared = kind.endsWith('snapshot')
    ? await snapshot.prepareCommand(`${kind} ${round}`, null)
    : undefined;
  let watched: WatchedCommand | undefined;
  const startWatched = () => {
    const before = performance.now();
    watched = prepared?.start();
    if (watched && isConfined) begins.push(performance.now() - before);
  };
  const shell: ShellEnvironment = {
    ...{ shell: '/bin/bash', maxOutputCharacters: 1000, fifos, environment: async () => env },
    ...(isConfined ? { confine: (launch) => sandbox.confine(launch, scope) } : {}),
  };
  const { confine } = startWithShell(shell, { ...unwatched, start: startWatched });
  const running = await startShell({
    ...{ command: `echo ${round} > src/part-0/module-0/file-0.ts`, cwd, shell: '/bin/bash', fifos, env },
    ...{ clock: systemClock, output() {}, signal: new AbortController().signal, confine },
  });
  const end = await running.ended;
  running.confined?.finish({ failed: false, output: '' });
  watched?.end();
  await watched?.notices();
  const took = performance.now() - start;
  if (end.code !== 0) throw new Error(`ended with ${end.code} ${end.problem ?? ''}`);
  return took;
}

await sandbox.ready();
const first = performance.now();
await snapshot.prepare();
const firstLook = performance.now() - first;
for (const kind of kinds) await run(kind, -1);
begins.length = 0;
for (let round = 0; round < rounds; round++)
  for (const kind of kinds) {
    await new Promise((resolve) => setTimeout(resolve, thinkingMs));
    times.get(kind)?.push(await run(kind, round));
  }
const settling = performance.now();
await snapshot.settle();
const settled = performance.now() - settling;

const at = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;
const row = (name: string, values: readonly number[], base: readonly number[]) =>
  `${name.padEnd(26)}${[0.1, 0.5, 0.95].map((part) => `${at(values, part).toFixed(1)} (+ ${(at(values, part) - at(base, part)).toFixed(1)})`.padStart(18)).join('')}`;
const bare = times.get('bare') ?? [];
console.log(
  `${`${rounds} rounds, ${files} files, ms`.padEnd(26)}${['fastest tenth', 'median', '95 %'].map((name) => name.padStart(18)).join('')}`,
);
for (const kind of kinds) console.log(row(kind, times.get(kind) ?? [], bare));
console.log(
  `the snapshot, while the sandbox is built: median ${at(begins, 0.5).toFixed(2)} ms, 95 % ${at(begins, 0.95).toFixed(2)} ms`,
);
console.log(
  `the first look, beside other work: ${firstLook.toFixed(0)} ms; a look that is waited for: ${settled.toFixed(0)} ms; ${noted} changes noted`,
);
const cost = at(times.get('sandbox, snapshot') ?? [], 0.5) - at(bare, 0.5);
console.log(
  `promised: at most + ${promisedMs} ms in the median, sandbox and snapshot; today + ${cost.toFixed(1)} ms`,
);
await snapshot.close();
sandbox.close();
rmSync(top, { recursive: true, force: true });
process.exit(cost <= promisedMs ? 0 : 1);
