import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lookAtLease } from '../../src/lib/leases/claim-lease.ts';
import { listLeaseNames } from '../../src/lib/leases/claims.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { type Place, place } from './support.ts';

/** Time runs faster, so that a lease of 30 seconds ends soon. */
export const machine = { ...systemMachine, uptime: () => systemMachine.uptime() * 100 };

/** Starts a session in another process, and stops that process at a point of it, past its deadline. */
export async function pauseAt(point: string, at: Place = place(), environment = at.environment) {
  mkdirSync(at.cwd, { recursive: true });
  writeFileSync(join(at.cwd, 'file'), 'content');
  const script = join(import.meta.dirname, 'paused.script.ts');
  const child = Bun.spawn([process.execPath, script, at.cwd, JSON.stringify(environment), point], {
    ...{ stdin: 'pipe', stdout: 'pipe' },
  });
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('reached')) {
    const step = await output.read();
    if (step.done) throw new Error(`The session ended before it was paused: ${text}`);
    text += step.value;
  }
  child.kill('SIGSTOP');
  const running = { directory: join(at.home, 'running'), machine };
  const [sessionId = ''] = listLeaseNames(running);
  while (lookAtLease(running, sessionId)?.state !== 'paused') await Bun.sleep(5);
  const wake = async () => {
    child.kill('SIGCONT');
    child.stdin.write('\n');
    child.stdin.end();
    for (let step = await output.read(); !step.done; step = await output.read()) text += step.value;
    await child.exited;
    return JSON.parse(text.slice(text.indexOf('{')));
  };
  const readLines = (path: string) =>
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { at, child, sessionId, running, wake, readLines };
}

export function readFiles(directory: string): Map<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  return new Map(
    files.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name), 'utf8'),
    ]),
  );
}
