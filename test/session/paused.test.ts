import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimLease, lookAtLease } from '../../src/lib/leases/claim-lease.ts';
import { listLeaseNames } from '../../src/lib/leases/claims.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { call, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { open, place, recordsOf } from './support.ts';

/** Time runs faster, so that a lease of 30 seconds ends soon. */
const machine = { ...systemMachine, uptime: () => systemMachine.uptime() * 100 };

/** Starts a session in another process, and stops that process at a point of it, past its deadline. */
async function pauseAt(point: string) {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  writeFileSync(join(at.cwd, 'file'), 'content');
  const script = join(import.meta.dirname, 'paused.script.ts');
  const child = Bun.spawn([process.execPath, script, at.cwd, JSON.stringify(at.environment), point], {
    ...{ stdin: 'pipe', stdout: 'pipe' },
  });
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('reached')) text += (await output.read()).value ?? '';
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

function readFiles(directory: string): Map<string, string> {
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

for (const point of ['idle', 'model', 'reading', 'agent'])
  test(`SE1 a session paused (${point}) and taken over writes nothing when it wakes, starts no tool and names its successor`, async () => {
    const { at, child, sessionId, wake, readLines } = await pauseAt(point);
    const next = await open(at, [say('Continued.')], { resume: { from: 'id', id: sessionId }, machine });
    const outcome = await next.prompt('Continue.');
    expect(outcome).toMatchObject({ kind: 'completed', text: 'Continued.' });
    const path = next.session.info().transcriptPath ?? '';
    const before = readFileSync(path, 'utf8');
    const all = readFiles(join(at.home, 'projects'));
    const told = next.events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
    expect(told).toContainEqual(expect.stringContaining(`open in process ${child.pid}, which is paused`));

    const woken = await wake();
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(existsSync(join(at.cwd, 'forbidden'))).toBe(false);
    // It may remove what is its own, and nothing else.
    for (const [file, content] of readFiles(join(at.home, 'projects'))) {
      expect([...all.keys()]).toContain(file);
      expect(content).toBe(all.get(file) ?? '');
    }
    expect(woken.loss).toContain(`taken over by process ${process.pid}`);
    expect(woken.tools).toBe(point === 'agent' ? 1 : 0);
    const words = `taken over by process ${process.pid}`;
    expect(JSON.stringify(woken.sent)).toContain(words);
    expect(woken.notices).toContainEqual(expect.stringContaining(words));
    if (point === 'model' || point === 'reading') expect(woken.outcome.reason).toContain(words);
    const epochs = readLines(path).map(({ epoch }) => epoch);
    expect(epochs).toEqual([...epochs].sort());
    expect(new Set(epochs)).toEqual(new Set([1, 2]));

    expect(await recordsOf(next.session)).toContainEqual(
      expect.objectContaining({ type: 'epoch', epoch: 2 }),
    );
    await next.session.close();
    expect(readdirSync(join(at.home, 'running'))).toEqual([]);
  });

needs('bwrap')(
  'a session that was paused and taken over leaves the sandbox of its successor alone',
  async () => {
    const { at, sessionId, wake } = await pauseAt('confined');
    const turns = ['one', 'two'].flatMap((name) => [
      call('Bash', { command: `touch ${name}` }),
      say('Done.'),
    ]);
    const options = { resume: { from: 'id', id: sessionId }, machine, sandbox: true } as const;
    const next = await open(at, turns, { ...options, permissionMode: 'acceptEdits' });
    await next.prompt('Continue.');
    await wake();
    await next.prompt('Again.');
    expect(['one', 'two'].filter((name) => existsSync(join(at.cwd, name)))).toEqual(['one', 'two']);
    await next.session.close();
  },
);

test('a session that was paused and that no process took over continues when it wakes', async () => {
  const { at, wake } = await pauseAt('model');
  const woken = await wake();
  expect(woken.outcome).toMatchObject({ kind: 'completed', text: 'Done.' });
  expect(existsSync(join(at.cwd, 'forbidden'))).toBe(true);
});

test('a session whose process is stopped and within its time is refused, and the user hears what to do', async () => {
  const { at, child, sessionId, wake, running } = await pauseAt('idle');
  const slow = { ...running, machine: { ...systemMachine, uptime: () => 0 } };
  expect(claimLease(slow, sessionId)).toMatchObject({ value: { state: 'held' } });
  const refused = open(at, [], { resume: { from: 'id', id: sessionId }, machine: slow.machine });
  await expect(refused).rejects.toThrow(`open in another process (pid ${child.pid})`);
  await wake();
});
