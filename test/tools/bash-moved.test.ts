import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock, sleep, systemClock } from '../../src/lib/clock.ts';
import { findOwned } from '../../src/lib/processes/process.ts';
import type { WaitingCall } from '../../src/protocol/task.ts';
import type { ToolContext } from '../../src/protocol/tool.ts';
import { WaitingCalls } from '../../src/tasks/waiting-calls.ts';
import { bashTool } from '../../src/tools/bash/bash.ts';
import { taskOutputTool } from '../../src/tools/task-output.ts';
import { type Called, call, type TestContext, toolContextForTests } from './support.ts';

interface Moved {
  context: TestContext;
  /** What the agent reads when the command is sent to the background. */
  result: Called;
  waiting: WaitingCalls;
}

/** Runs a command until it has made the file `begun`, and sends it to the background then. */
async function moved(command: string, more: Partial<ToolContext> = {}, input: object = {}): Promise<Moved> {
  const base = toolContextForTests(more);
  const waiting = new WaitingCalls();
  const offer = (one: WaitingCall) => waiting.offer(one);
  const context = { ...base, tasks: { ...base.tasks, offer } };
  const running = call(bashTool, { command, ...input }, context);
  while (!existsSync(join(context.root, 'begun'))) await sleep(systemClock, 5);
  expect(waiting.move(() => true)).toBe(1);
  return { context, result: await running, waiting };
}

const goOn = ({ root }: TestContext) => writeFileSync(join(root, 'go-on'), '');
const held = 'touch begun; until [ -e go-on ]; do sleep 0.01; done';

test('TS6 a command that is waited for goes on as a task, and its agent reads where', async () => {
  const { context, result } = await moved(`echo before; ${held}; echo after`);
  expect(result.text).toContain('keeps running as task b1');
  expect(result.data).toMatchObject({ backgroundTaskId: 'b1', backgroundedByUser: true });
  const { outputFile } = result.data as { outputFile: string };
  expect(readFileSync(outputFile, 'utf8')).toBe('before\n');
  goOn(context);
  expect(await context.tasks.find('b1')?.result()).toMatchObject({
    status: 'completed',
    text: 'before\nafter',
  });
  expect(readFileSync(outputFile, 'utf8')).toBe('before\nafter\n');
});

test('a large output moves along whole', async () => {
  const { context, result } = await moved(`seq 1 50000; ${held}; echo last`);
  goOn(context);
  await context.tasks.find('b1')?.result();
  const { outputFile } = result.data as { outputFile: string };
  const lines = readFileSync(outputFile, 'utf8').trimEnd().split('\n');
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([50_001, '1', 'last']);
  expect(readdirSync(context.outputDirectory).filter((name) => name.endsWith('.log'))).toEqual([]);
});

test('its time limit ends with the waiting, and so does the turn that it was part of', async () => {
  const turn = new AbortController();
  const clock = manualClock();
  const { context } = await moved(held, { signal: turn.signal, clock }, { timeout: 1000 });
  clock.advance(600_000);
  turn.abort();
  goOn(context);
  const end = context.tasks.find('b1')?.result();
  for (let isOver = false; !isOver; clock.advance(50))
    isOver = (await Promise.race([end, sleep(systemClock, 5)])) !== undefined;
  expect(await end).toMatchObject({ status: 'completed' });
});

test('stopping the task ends its whole tree', async () => {
  const { context } = await moved('setsid sleep 100 & touch begun; sleep 100');
  await context.tasks.find('b1')?.kill('test');
  expect(context.tasks.find('b1')?.status()).toBe('killed');
  const { CADRE_OWNER = '' } = await context.shell.environment();
  expect(findOwned({ owner: CADRE_OWNER })).toEqual([]);
});

test('where it ends moves nobody', async () => {
  const { context } = await moved(`${held}; cd /usr`);
  goOn(context);
  await context.tasks.find('b1')?.result();
  expect(context.directory.current).toBe(context.root);
  expect(readdirSync(context.outputDirectory)).toEqual(['b1.out']);
});

test('a command that has ended cannot be sent anywhere', async () => {
  const { context, waiting } = await moved(held);
  goOn(context);
  await context.tasks.find('b1')?.result();
  expect(waiting.move(() => true)).toBe(0);
});

test('an output file that is deleted under a running task is reported with its end', async () => {
  const { context, result } = await moved(`echo before; ${held}; echo after`);
  const { outputFile } = result.data as { outputFile: string };
  rmSync(outputFile);
  goOn(context);
  expect(await context.tasks.find('b1')?.result()).toMatchObject({
    status: 'completed',
    text: `[Its output is lost: ${outputFile} was deleted while it ran.]`,
  });
});

test('TS5 one who reads the output of a task whose file was deleted is told so, before and after its end', async () => {
  const { context, result } = await moved(`echo before; ${held}; echo after`);
  const { outputFile } = result.data as { outputFile: string };
  rmSync(outputFile);
  const lost = `Its output is lost: ${outputFile} was deleted while it ran.`;
  const look = () => call(taskOutputTool, { task_id: 'b1', timeout: 0 }, context);
  expect((await look()).text).toContain(lost);
  goOn(context);
  await context.tasks.find('b1')?.result();
  expect((await look()).text).toContain(lost);
});
