import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimLease } from '../../src/lib/leases/claim-lease.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { say } from '../../src/testing/index.ts';
import { machine, pauseAt, readFiles } from './paused-ground.ts';
import { open, recordsOf } from './support.ts';

for (const point of ['idle', 'model', 'reading', 'agent'])
  test(`SE1 a session paused (${point}) and taken over writes nothing when it wakes, starts no tool and names its successor`, async () => {
    const { at, child, sessionId, wake, readLines } = await pauseAt(point);
    const next = await open(at, [say('Continued.')], { resume: { from: 'id', id: sessionId }, machine });
    const outcome = await next.prompt('Continue.');
    expect(outcome).toMatchObject({ kind: 'completed', text: 'Continued.' });
    const path = next.session.info().transcriptPath ?? '';
    const before = readFileSync(path, 'utf8');
    const all = readFiles(at.home);
    const told = next.events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
    expect(told).toContainEqual(expect.stringContaining(`open in process ${child.pid}, which is paused`));

    const woken = await wake();
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(existsSync(join(at.cwd, 'forbidden'))).toBe(false);
    // It may remove what is its own, and nothing else.
    for (const [file, content] of readFiles(at.home)) {
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
