/** Runs all probes inside, as whoever calls. */

import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import {
  type ProbeGround,
  prepareProbes,
  probeEnvironment,
  probeScript,
  sandboxProbes,
} from '../../proof/sandbox-probes.ts';
import { roomIn, run } from './support.ts';

export interface Probed {
  open: string[];
  tried: number;
  /** Of ordinary use: what a command must still find. */
  works: string;
  proven: boolean;
}

export async function probeInside(directory: string): Promise<Probed> {
  const elsewhere = join(directory, 'elsewhere');
  mkdirSync(elsewhere);
  const at = roomIn(directory, {}, probeEnvironment(elsewhere));
  const server = createServer((client) => client.destroy());
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    }),
  );
  const ground: ProbeGround = {
    ...{ userHome: at.userHome, home: at.home, cwd: at.cwd, elsewhere, port, pid: process.pid },
    outside: join(elsewhere, 'outside'),
  };
  prepareProbes(ground);
  const probes = sandboxProbes(ground);
  const { text } = await run(at, probeScript(probes, ground));
  const proven = await at.sandbox.probe();
  const works = await run(
    at,
    'git config user.name; cat ~/notes.txt ~/.cache/pip/wheel ~/.cargo/env >/dev/null && echo read; echo x > made && cat made; ls /proc/self/fd >/dev/null && echo y > /dev/stderr',
  );
  server.close();
  at.sandbox.close();
  return {
    open: [...text.matchAll(/^OPEN (.*)$/gm)].map((match) => match[1] ?? ''),
    tried: Number(/^tried (\d+)$/m.exec(text)?.[1] ?? 0),
    works: works.text,
    proven: proven.ok,
  };
}
