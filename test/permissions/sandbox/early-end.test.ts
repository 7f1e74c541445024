import { expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/lib/clock.ts';
import { Fifos, pipeDirectory } from '../../../src/lib/files/fifo.ts';
import { startShell } from '../../../src/tools/bash/process.ts';
import { needs } from '../../support/index.ts';
import { room, run } from './support.ts';

needs('bwrap')('a command that is ended while its sandbox is built does not run on', async () => {
  const at = room();
  await run(at, 'true');
  const scope = { writes: 'workspace', directories: [at.cwd], rules: [] } as const;
  // From the start of bwrap until the command runs, step by step. One that ran on would keep its end waiting.
  for (let turn = 0; turn < 40; turn++) {
    const over = new AbortController();
    const running = await startShell({
      ...{ command: `sleep 600; touch late-${turn}`, cwd: at.cwd, shell: '/bin/bash', clock: systemClock },
      fifos: new Fifos(() => pipeDirectory(at.home)),
      env: { PATH: process.env.PATH ?? '', HOME: at.userHome },
      confine: (launch) => at.sandbox.confine(launch, scope),
      output() {},
      signal: over.signal,
    });
    const start = performance.now();
    while (performance.now() - start < turn / 2) await new Promise((resolve) => setImmediate(resolve));
    over.abort();
    expect((await running.ended).killed).toBe(true);
    running.confined?.finish({ failed: true, output: '' });
    expect([turn, existsSync(join(at.cwd, `late-${turn}`))]).toEqual([turn, false]);
  }
});
