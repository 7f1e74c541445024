/**
 * The gap of a turn whose command writes in a workspace of 5,000 files, in the program as it is shipped: in the sandbox and
 * without it, and beside an earlier build if one is named. `bun bench/writes.ts [rounds] [earlier program]`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureGaps, type Runner } from './measure.ts';
import { startProvider } from './provider.ts';
import { closeGround, openGround, prepareRunners, turnsPerRun } from './runners.ts';

const [rounds, files] = [Number(process.argv[2] ?? 6), 5000];
const provider = await startProvider();
const ground = openGround();
try {
  const runners = prepareRunners(provider.baseUrl, ground, ['cadre'], process.argv[3]).flatMap(
    (runner): Runner[] => [
      { ...runner, name: `${runner.name}, no sandbox` },
      { ...runner, name: `${runner.name}, sandbox`, launch: confine(runner.launch) },
    ],
  );
  for (const { workspace } of runners) fill(workspace);
  const gaps = new Map<string, number[]>(runners.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++)
    for (const runner of runners) {
      const measured = await measureGaps(runner, provider, 'write', turnsPerRun);
      // The first run fills caches; the first turns of each wait for the first look at the workspace.
      if (round > 0) gaps.get(runner.name)?.push(...measured.slice(5));
    }
  for (const [name, values] of gaps) {
    const sorted = values.toSorted((a, b) => a - b);
    const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1).padStart(7);
    console.log(`${name.padEnd(24)} fastest tenth ${at(0.1)} ms, median ${at(0.5)} ms, 95 % ${at(0.95)} ms`);
  }
} finally {
  provider.stop();
  closeGround(ground);
}

function confine(launch: Runner['launch']): Runner['launch'] {
  const [program, ...rest] = launch.command;
  const words = rest.map((word) => (word.includes('"sandbox"') ? '{"sandbox":{"enabled":true}}' : word));
  return { ...launch, command: [program, ...words] };
}

function fill(workspace: string): void {
  for (let index = 0; index < files; index++) {
    const path = join(workspace, 'src', `part-${index % 20}`, `module-${index % 300}`);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, `file-${index}.ts`), `export const value = ${index};\n`.repeat(40));
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], {
      cwd: workspace,
    });
  git('add', '-A');
  git('commit', '-qm', 'Start', '--allow-empty');
}
