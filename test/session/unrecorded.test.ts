import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import type { Disk } from '../../src/lib/files/disk.ts';
import { memoryDisk } from '../../src/lib/files/memory-disk.ts';
import { countedIds } from '../../src/lib/ids.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { type AgentEvent, textOf } from '../../src/protocol/index.ts';
import type { Letter } from '../../src/tasks/inbox.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { DiskFault } from '../simulation/faulty-disk.ts';
import { openSimulated, soleClaim } from '../simulation/session.ts';

const uuid = (digit: number) => `00000000-0000-4000-9000-00000000000${digit}`;
const taskEnd: Letter = {
  ...{ delivery: 'steer', origin: { kind: 'task-notification', runId: 'r' } },
  content: [{ type: 'text', text: 'The task ended.' }],
};

/** A session on a disk of which the test says how many of the next writes fail. */
function start() {
  const failing = { writes: 0 };
  const { kernel, commands, lead } = openSimulated({
    ...{ clock: manualClock(), ids: countedIds(), claim: soleClaim },
    ...{ model: scriptedModel(() => 'Done.'), tools: [], restored: undefined },
    machine: { ...systemMachine, disk: failingDisk(failing) },
  });
  const ends: Extract<AgentEvent, { type: 'run_ended' }>[] = [];
  kernel.events.listen((event) => void (event.type === 'run_ended' && ends.push(event)));
  const prompt = async (digit: number) => {
    commands.send({ type: 'prompt', content: `Prompt ${digit}.`, uuid: uuid(digit) });
    await commands.pump.settled();
  };
  const heard = () => lead.conversation.records.map(({ message }) => textOf(message.content));
  return { kernel, commands, failing, ends, prompt, heard };
}

function failingDisk(failing: { writes: number }): Disk {
  const disk = memoryDisk();
  return {
    ...disk,
    open(path, how) {
      const file = disk.open(path, how);
      const write = file.write.bind(file);
      file.write = (bytes, at) => {
        if (failing.writes === 0) return write(bytes, at);
        failing.writes--;
        throw new DiskFault('ENOSPC', path);
      };
      return file;
    },
  };
}

test('a prompt that cannot be recorded is named by the end of its run, so that its sender need not wait', async () => {
  const { failing, ends, prompt } = start();
  // That it was taken, and then the message.
  failing.writes = 2;
  await prompt(1);
  expect(ends).toMatchObject([{ outcome: { kind: 'failed' }, prompts: [uuid(1)] }]);
});

test('the end of a task that cannot be recorded is read with the next prompt', async () => {
  const { kernel, commands, failing, ends, prompt, heard } = start();
  failing.writes = 1;
  kernel.inbox.post(taskEnd);
  await commands.pump.settled();
  expect(ends).toMatchObject([{ outcome: { kind: 'failed' }, prompts: [] }]);
  await prompt(1);
  expect(heard()).toEqual(['The task ended.', 'Prompt 1.', 'Done.']);
});

test('a prompt behind one that cannot be recorded is not lost with it', async () => {
  const { kernel, failing, ends, prompt, heard } = start();
  await prompt(1);
  const first = { type: 'text' as const, text: 'Prompt 2.' };
  kernel.inbox.postQuietly({ delivery: 'steer', content: [first], origin: { kind: 'human' }, uuid: uuid(2) });
  // That the third was taken, and then the second.
  failing.writes = 2;
  await prompt(3);
  expect(ends.slice(1)).toMatchObject([
    { outcome: { kind: 'failed' }, prompts: [uuid(2)] },
    { outcome: { kind: 'completed' }, prompts: [uuid(3)] },
  ]);
  expect(heard()).toEqual(['Prompt 1.', 'Done.', 'Prompt 3.', 'Done.']);
});
