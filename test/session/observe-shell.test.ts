import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import type { Tool, ToolContext, WatchedCommand } from '../../src/protocol/index.ts';
import { textResult } from '../../src/protocol/index.ts';
import { observeShell } from '../../src/session/lead/machine-tools.ts';
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
