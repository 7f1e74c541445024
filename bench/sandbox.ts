/**
 * The cost of the sandbox for a shell command: the same command with and without it, in turns, in one run; and what it costs
 * in a workspace of 5,000 directories and 45,000 files, most of them installed packages.
 * `bun bench/sandbox.ts [rounds]`. Exits with 1 if the cost is above the promise.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../src/lib/clock.ts';
import { Fifos } from '../src/lib/files/fifo.ts';
import { chooseSandbox } from '../src/sandbox/choose.ts';
import { openSandbox } from '../src/sandbox/open.ts';
import { noSettings } from '../src/settings/merge.ts';
import { startShell } from '../src/tools/bash/process.ts';

const promisedMs = 8;
const rounds = Number(process.argv[2] ?? 100);
// Not below /tmp, which has costs that real work does not.
const dist = join(import.meta.dirname, '..', 'dist');
mkdirSync(dist, { recursive: true });
const top = mkdtempSync(join(dist, 'bench-'));
const [cwd, large, userHome] = [join(top, 'work'), join(top, 'large'), join(top, 'user')];
const home = join(userHome, '.cadre');
const directory = join(home, 'sandbox');

/** An ordinary repository, and a user with keys. */
for (const path of ['work/.github/workflows', 'work/src', 'user/.ssh', 'user/.cadre', 'user/.config/gh'])
  mkdirSync(join(top, path), { recursive: true });
writeFileSync(join(top, 'user/.cadre/keys.json'), '');
for (let index = 0; index < 50; index++) writeFileSync(join(cwd, `file-${index}`), '');
for (let index = 0; index < 5000; index++) {
  const path = join(large, index % 10 === 0 ? 'src' : 'node_modules', `part-${index % 50}`, `${index}`);
  mkdirSync(path, { recursive: true });
  for (let file = 0; file < 9; file++) writeFileSync(join(path, `file-${file}`), '');
}
for (const repository of [cwd, large]) execFileSync('git', ['init', '-q'], { cwd: repository });

const settings = noSettings().sandbox;
const sandbox = openSandbox({
  ...{ settings, home, userHome, directory, notify: console.error, given: () => [] },
  ...{ environment: { PATH: process.env.PATH ?? '', HOME: userHome }, isRoot: process.getuid?.() === 0 },
  choose: () => chooseSandbox({ settings, platform: process.platform, arch: process.arch, directory }),
});
const fifos = new Fifos(() => top);

const kinds = ['without', 'reading', 'writing', 'large'] as const;
type Kind = (typeof kinds)[number];

async function run(kind: Kind): Promise<number> {
  const start = performance.now();
  const place = kind === 'large' ? large : cwd;
  const writes = kind === 'reading' ? 'none' : 'workspace';
  const running = await startShell({
    ...{ command: 'true', cwd: place, shell: '/bin/bash', fifos, clock: systemClock, output() {} },
    env: { PATH: process.env.PATH ?? '', HOME: userHome },
    signal: new AbortController().signal,
    ...(kind === 'without'
      ? {}
      : { confine: (launch) => sandbox.confine(launch, { writes, directories: [place], rules: [] }) }),
  });
  const end = await running.ended;
  running.confined?.finish({ failed: false, output: '' });
  if (end.code !== 0) throw new Error(`ended with ${end.code} ${end.problem ?? ''}`);
  return performance.now() - start;
}

const times = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
await sandbox.ready();
const first = new Map<Kind, number>();
for (const kind of kinds) first.set(kind, await run(kind));
for (let round = 0; round < rounds; round++) for (const kind of kinds) times.get(kind)?.push(await run(kind));

/** The fastest tenth shows what the work costs, the median what the machine made of it. */
const quantile = (kind: Kind, part: number) =>
  [...(times.get(kind) ?? [])].sort((a, b) => a - b)[Math.floor(rounds * part)] ?? 0;
const row = (name: string, kind: Kind) =>
  [0.1, 0.5].map((part) => {
    const [own, bare] = [quantile(kind, part), quantile('without', part)];
    return `${part === 0.1 ? name.padEnd(30) : ''}+ ${(own - bare).toFixed(1)} ms (x ${(own / bare).toFixed(1)})`;
  });
const [fast, usual] = [0.1, 0.5].map((part) => `${quantile('without', part).toFixed(1)} ms`);
console.log(`${`${rounds} rounds`.padEnd(30)}fastest tenth     median`);
console.log(`${'without a sandbox'.padEnd(30)}${fast}            ${usual}`);
console.log(row('confined, read-only', 'reading').join('    '));
console.log(row('confined, workspace writable', 'writing').join('    '));
console.log(row('the same, 50,000 entries', 'large').join('    '));
console.log(`its first look: ${(first.get('large') ?? 0).toFixed(0)} ms`);
const cost = quantile('writing', 0.1) - quantile('without', 0.1);
console.log(`promised: at most + ${promisedMs} ms in the fastest tenth`);
sandbox.close();
rmSync(top, { recursive: true, force: true });
process.exit(cost <= promisedMs ? 0 : 1);
