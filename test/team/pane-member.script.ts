import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { spawnOwned } from '../../src/lib/processes/process.ts';
import { takeLaunch } from '../../src/team/executors/launch.ts';

/** Stands in for Cadre in a pane: `pane-member.script.ts --team-member NAME@TEAM`. Its prompt says how it behaves. */
const address = process.argv.at(-1) ?? '';
const taken = takeLaunch(process.env.CADRE_HOME ?? '', address, process.env, systemMachine);
if (!taken.ok) {
  process.stderr.write(`${taken.problem.message}\n`);
  process.exit(1);
}
const { name, prompt, cwd, sessionId } = taken.value;
const file = (kind: string) => join(cwd, `${kind}-${name}`);

for (const signal of ['SIGHUP', 'SIGTERM'] as const)
  process.on(signal, () => {
    appendFileSync(file('signals'), `${signal}\n`);
    if (!prompt.includes('stubborn')) process.exit(0);
  });
let child: number | undefined;
if (prompt.includes('with a child'))
  child = spawnOwned({
    ...{ file: 'sleep', args: ['1000'], cwd: '/', env: { PATH: process.env.PATH ?? '' } },
    ...{ owner: sessionId, clock: systemClock, output() {} },
  }).pid;
if (prompt.includes('with an heir'))
  child = spawnOwned({
    ...{ file: 'sleep', args: ['1000'], cwd: '/', owner: `${sessionId}-other` },
    env: { PATH: process.env.PATH ?? '', CADRE_TEAM_PANE: process.env.CADRE_TEAM_PANE ?? '' },
    ...{ clock: systemClock, output() {} },
  }).pid;
process.stdin.on('data', (chunk) => appendFileSync(file('typed'), chunk));
setInterval(() => {}, 1_000_000);
// Renamed into place, so that a reader sees all of it.
const told = { pid: process.pid, child, launch: taken.value, argv: process.argv, here: process.cwd() };
writeFileSync(file('draft'), JSON.stringify(told));
renameSync(file('draft'), file('started'));
