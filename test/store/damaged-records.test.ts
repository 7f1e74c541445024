import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { textOf } from '../../src/protocol/message.ts';
import { restoreConversation } from '../../src/store/conversation.ts';
import { temporaryDirectory } from '../support/index.ts';
import { assistant, call, headerFor, load, result, user } from './build.ts';

/** Writes these lines as a transcript and reads it. */
async function read(lines: readonly (object | string)[], ending = '\n') {
  const path = join(temporaryDirectory().path, 't.jsonl');
  const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  writeFileSync(path, texts.join('\n') + ending);
  const loaded = await load(path);
  const stored = restoreConversation(loaded, manualClock(), randomIds);
  const answer = stored.messages
    .at(-1)
    ?.message.content.map((block) => (block.type === 'tool_result' ? textOf(block.content) : ''))
    .join('');
  return { loaded, stored, answer };
}

const at = <T extends object>(record: T, epoch: number) => ({ ...record, epoch });
const begun = (toolUseId: string) => at({ type: 'call-begun', toolUseId, effect: 'unsafe' }, 1);
const opening = [
  at(headerFor(), 1),
  at(user('u1', null, 'go'), 1),
  at(assistant('a1', 'u1', [call('c1')]), 1),
];
const line = JSON.stringify(begun('c1'));

describe('G4 a call whose record of its begin cannot be read is "interrupted, result unknown"', () => {
  test.each<[string, (object | string)[]]>([
    ['NUL bytes', ['\0'.repeat(line.length)]],
    ['NUL bytes over the result too', ['\0'.repeat(line.length + 200), at(user('u2', 'a1', 'more'), 1)]],
    ['garbage', ['x'.repeat(line.length)]],
    ['torn, and closed by a newline', [line.slice(0, 30)]],
    ['another id', [begun('c9')]],
    ['another type', [line.replace('call-begun', 'call-begum')]],
    ['an invalid effect', [line.replace('unsafe', 'unsafa')]],
    [
      'another epoch',
      [line.replace('"epoch":1', '"epoch":7'), at({ type: 'custom-title', customTitle: 't' }, 1)],
    ],
  ])('%s', async (_, lines) => {
    const { stored } = await read([...opening, ...lines]);
    expect(stored.notBegun).toEqual([]);
    expect(stored.interrupted.map(({ id }) => id)).toEqual(['c1']);
  });

  test('the id of the call itself is damaged, and its begin and its result name another', async () => {
    const { stored } = await read([...opening, begun('c2'), at(user('u2', 'a1', [result('c2')]), 1)]);
    expect(stored.interrupted.map(({ id }) => id)).toEqual(['c1']);
  });

  test('in the words for the model', async () => {
    expect((await read([...opening, 'x'])).answer).toContain('Interrupted, result unknown');
  });
});

describe('G4 a call of which nothing was written is reported as not begun', () => {
  test.each<[string, string[], string]>([
    ['the file ends with the message', [], '\n'],
    ['half a record at the very end', [line.slice(0, 30)], ''],
  ])('%s', async (_, lines, ending) => {
    const { stored } = await read([...opening, ...lines], ending);
    expect(stored.notBegun.map(({ id }) => id)).toEqual(['c1']);
  });

  test('damage that a later message of the model follows is not about it', async () => {
    const { stored } = await read([
      ...opening.slice(0, 2),
      at(assistant('a0', 'u1', 'Hm.'), 1),
      'x',
      at(user('u2', 'a0', 'go'), 1),
      at(assistant('a1', 'u2', [call('c1')]), 1),
    ]);
    expect(stored.notBegun.map(({ id }) => id)).toEqual(['c1']);
  });
});

describe('SE1 one damaged digit of an epoch costs that record only', () => {
  const title = (name: string, epoch: number) =>
    at({ type: 'custom-title', customTitle: name, sessionId: '' }, epoch);
  const announced = (epoch: number) => at({ type: 'epoch', timestamp: '' }, epoch);
  const titles = async (lines: readonly object[]) => {
    const { loaded } = await read([at(headerFor(), 1), ...lines]);
    const found = loaded.records.flatMap((record) =>
      record.type === 'custom-title' ? [record.customTitle] : [],
    );
    return { found: found.join(''), damage: loaded.damage, late: loaded.late?.length ?? 0, loaded };
  };

  test('in the middle', async () => {
    const { found, damage, late } = await titles([
      title('a', 1),
      title('b', 9),
      title('c', 1),
      title('d', 1),
    ]);
    expect([found, late]).toEqual(['acd', 0]);
    expect(damage).toMatchObject([{ line: 3, reason: expect.stringContaining('epoch 9') }]);
  });

  test('in the first record', async () => {
    expect((await titles([title('a', 9), title('b', 1), title('c', 1)])).found).toBe('bc');
  });

  test('in the header', async () => {
    const { loaded } = await read([at(headerFor(), 4), title('a', 1), title('b', 1)]);
    expect(loaded.records).toHaveLength(2);
    expect(loaded.header?.sessionId).toBe(headerFor().sessionId);
  });

  test('in the record that announces an epoch', async () => {
    const { found } = await titles([title('a', 1), announced(9), title('b', 2), title('c', 2)]);
    expect(found).toBe('abc');
  });

  test('to a number that no session reaches', async () => {
    expect((await titles([title('a', 1), title('b', 9007199254740990), title('c', 1)])).found).toContain(
      'abc',
    );
  });

  test('an announced epoch is believed against a late record of the one before', async () => {
    const { found, late } = await titles([title('a', 1), announced(2), title('x', 1), title('b', 2)]);
    expect([found, late]).toEqual(['ab', 1]);
    const none = await titles([title('a', 1), announced(2), title('x', 1)]);
    expect([none.found, none.late, none.loaded.epoch]).toEqual(['a', 1, 2]);
  });

  test('an announced epoch is believed against a late record of a process that had written nothing before', async () => {
    const { found, late } = await titles([title('a', 1), announced(3), title('x', 2), title('b', 3)]);
    expect([found, late]).toEqual(['ab', 1]);
  });

  test('a writer that had nothing to announce counts', async () => {
    expect((await titles([title('a', 1), title('b', 2), title('c', 3), title('d', 3)])).found).toBe('abcd');
  });
});

describe('G4 a call that had begun and whose message is missing is named', () => {
  const rest = [begun('c1'), at(user('u2', 'a1', 'more'), 1)];
  test.each<[string, (object | string)[]]>([
    ['the line is gone', []],
    ['the line is blank', ['']],
    ['another object is in its place', ['{}']],
    ['the line cannot be read', ['x']],
  ])('%s', async (_, lines) => {
    const { stored } = await read([...opening.slice(0, 2), ...lines, ...rest]);
    expect(stored.lost).toEqual(['c1']);
  });
});

describe('G4 a record that is in the file twice counts once', () => {
  const more = [begun('c1'), at(user('u2', 'a1', [result('c1')]), 1), at(assistant('a2', 'u2', 'Done.'), 1)];

  test.each<[string, object]>([
    ['a prompt', at(user('u1', null, 'go'), 1)],
    ['a result', at(user('u2', 'a1', [result('c1')]), 1)],
    ['an answer', at(assistant('a1', 'u1', [call('c1')]), 1)],
  ])('%s behind the end does not take the conversation back', async (_, copy) => {
    const { stored } = await read([...opening, ...more, copy]);
    expect(stored.messages.map(({ uuid }) => uuid)).toEqual(['u1', 'a1', 'u2', 'a2']);
    expect(stored.broken).toEqual([expect.stringContaining('a second time')]);
  });

  test('a state of a task from before its end does not make it run again', async () => {
    const running = {
      id: 't1',
      runId: 'r1',
      kind: 'shell',
      status: 'running',
      description: 'd',
      owner: null,
      startedAt: '',
      outputFile: '',
    };
    const state = (record: object) => at({ type: 'task-state', timestamp: '', ...record }, 1);
    const began = state({ task: running });
    const ended = state({
      task: { ...running, status: 'completed' },
      end: { status: 'completed', text: 'ok' },
    });
    const { stored } = await read([...opening.slice(0, 2), began, ended, began]);
    expect(stored.tasks.map(({ end }) => end?.status)).toEqual(['completed']);
  });
});
