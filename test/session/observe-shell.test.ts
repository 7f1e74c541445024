import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { ok } from '../../src/lib/result.ts';
import type {
  ConfinedCommand,
  ShellEnvironment,
  Tool,
  ToolContext,
  WatchedCommand,
} from '../../src/protocol/index.ts';
import { textResult } from '../../src/protocol/index.ts';
import { observeShell, startWithShell } from '../../src/session/lead/machine-tools.ts';
import { until } from '../support/index.ts';

/** A command that starts when it is let, and what is told of it. */
function story(notices: string[] = []) {
  const clock = manualClock();
  const stop = new AbortController();
  const begun = Promise.withResolvers<WatchedCommand>();
  const events: string[] = [];
  const bash = {
    name: 'Bash',
    access: () => [{ kind: 'shell', command: 'rm x', cwd: '/' }],
    // biome-ignore lint/correctness/useYield: a tool without progress.
    async *run() {
      events.push('ran');
      return textResult('out');
    },
  } as unknown as Tool;
  const context = {
    ...{ toolUseId: 't1', agentId: null, clock, signal: stop.signal, tasks: {}, directory: { current: '/' } },
    shell: { shell: '/bin/bash' },
    history: { beginCommand: () => begun.promise },
  } as unknown as ToolContext;
  const letBegin = () =>
    begun.resolve({
      moveToBackground() {},
      end: () => void events.push('ended'),
      notices: async () => notices,
    });
  const running = observeShell(bash, '/home').run({}, context);
  return { clock, stop, events, letBegin, running };
}

test('a command that waits for the files to be recorded says so after a second', async () => {
  const { clock, running, letBegin, events } = story();
  const first = running.next();
  await until(() => clock.untilNext() !== undefined);
  clock.advance(1_000);
  expect(await first).toEqual({ done: false, value: { text: expect.stringContaining('Recording files') } });
  expect(events).toEqual([]);
  letBegin();
  expect(await running.next()).toMatchObject({ done: true, value: { isError: false } });
});

test('a command that starts at once says nothing', async () => {
  const { running, letBegin, events } = story();
  letBegin();
  expect(await running.next()).toEqual({ done: true, value: textResult('out') });
  expect(events).toEqual(['ran', 'ended']);
});

test('what the user must know of a command is part of its result', async () => {
  const { running, letBegin } = story(['1 of 2 files were not recorded yet.']);
  letBegin();
  const { value } = await running.next();
  expect(value).toMatchObject({
    content: [{ text: 'out' }, { type: 'text', text: '[1 of 2 files were not recorded yet.]' }],
  });
});

test('a command that is interrupted while it waits is not run', async () => {
  const { running, letBegin, stop, events } = story();
  stop.abort();
  letBegin();
  expect(await running.next()).toMatchObject({
    done: true,
    value: { isError: true, content: [{ text: 'Not run: the turn was interrupted.' }] },
  });
  expect(events).toEqual(['ended']);
});

/** What happens to a command between its plan and its first line, in a sandbox of this kind or none. */
async function startIn(confined: Partial<ConfinedCommand> | undefined): Promise<string[]> {
  const events: string[] = [];
  const command = { start: () => void events.push('looked') } as unknown as WatchedCommand;
  const sandboxed = { confine: async () => ok(confined as ConfinedCommand) };
  const shell = startWithShell((confined ? sandboxed : {}) as unknown as ShellEnvironment, command);
  events.push('planned');
  const planned = await shell.confine?.({ file: '', args: [], cwd: '/', env: {} });
  events.push('being built');
  if (planned?.ok) planned.value.begin?.();
  return events;
}

test('files are looked at before a command that is not confined is even planned', async () => {
  expect(await startIn(undefined)).toEqual(['looked', 'planned', 'being built']);
});

test('files are looked at while the sandbox of a command that waits is built', async () => {
  expect(await startIn({ begin() {} })).toEqual(['planned', 'being built', 'looked']);
});

test('files are looked at before a sandbox is built in which a command does not wait', async () => {
  expect(await startIn({})).toEqual(['planned', 'looked', 'being built']);
});
