import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { noSettings } from '../../../src/settings/merge.ts';
import { roomIn, run } from './support.ts';

export interface SeenWithHosts {
  notices: string[];
  /** Whether there is a sandbox, with a network. */
  network: boolean | undefined;
  text: string;
}

/** A command with one listed host, on this machine, that looks at its own processes too. */
export async function reachListedHost(directory: string): Promise<SeenWithHosts> {
  const server = createServer((_, response) => response.end('served\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const network = { ...noSettings().sandbox.network, allowedDomains: [`localhost:${port}`] };
  const at = roomIn(directory, { network });
  const ready = await at.sandbox.ready();
  const looks = 'ls -A /proc/1; [ -w /proc/self/oom_score_adj ] && echo writable; echo $$ | wc -c';
  const { text } = await run(at, `curl -sS -m 10 http://localhost:${port}/; ${looks}`);
  await at.sandbox.close();
  server.close();
  return { notices: at.notices, network: ready?.network, text };
}
