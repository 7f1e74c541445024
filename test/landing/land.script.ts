import { writeSync } from 'node:fs';
import { shellGate } from '../../src/landing/gate.ts';
import { land } from '../../src/landing/land.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { ownerVariable } from '../../src/lib/processes/process.ts';
import { findRepository } from '../../src/workspace/worktrees/repository.ts';

/** Lands all worktrees of a repository, and ends itself without warning at a step: one of this name, or the `#3`rd. With `tell` it says where it is. */
const [path = '', home = '', stop = '', command = ''] = process.argv.slice(2);
const { PATH = '', [ownerVariable]: owner = 'cadre' } = process.env;
const env = { PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1', [ownerVariable]: owner };
const steps: string[] = [];
const world = {
  ...{ home, env, clock: systemClock },
  step: (name: string) => {
    if (stop === 'tell' && name !== 'aside' && name !== 'placed') writeSync(1, `${name}\n`);
    if (name === stop || `#${steps.length}` === stop) process.kill(process.pid, 'SIGKILL');
    steps.push(name);
  },
};
const repository = await findRepository(path, world);
if (!repository.ok) throw new Error(repository.problem.message);
const fill = { copyDirectories: [], linkDirectories: [], sandboxed: false };
const gate = command === '' ? {} : { gate: shellGate({ command, env, clock: systemClock, rules: [] }) };
await land({ repository: repository.value, world, fill, ...gate }, { agree: async () => true });
if (stop === 'none') console.log(JSON.stringify(steps));
