import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import type { AgentEvent } from '../../src/protocol/index.ts';
import { openBoard } from '../../src/team/board/board.ts';
import { call, say } from '../../src/testing/index.ts';
import { until } from '../support/index.ts';
import { open, type Place, place } from './support.ts';

function newPlace(): Place {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  return at;
}

function results(events: readonly AgentEvent[]) {
  return events.flatMap((event) => {
    if (event.type !== 'message_added' || event.record.type !== 'user') return [];
    const { toolData: data } = event;
    return event.record.message.content.flatMap((block) =>
      block.type === 'tool_result'
        ? [{ data, text: block.content.map((part) => (part.type === 'text' ? part.text : '')).join('') }]
        : [],
    );
  });
}

function texts(events: readonly AgentEvent[]): string[] {
  return results(events).map(({ text }) => text);
}

/** The board of a session, as another process sees it. */
function openFromOutside(transcript: string | null) {
  const directory = join((transcript ?? '').replace(/\.jsonl$/, ''), 'board');
  return openBoard({ directory, machine: systemMachine, clock: systemClock, isShared: false });
}

test('TM6 a lead without a team has a board: items are made, claimed, completed and listed', async () => {
  const { session, prompt, events } = await open(newPlace(), [
    call('TaskCreate', { subject: 'Parse', description: 'The parser.', metadata: { size: 'S' } }),
    call('TaskCreate', { subject: 'Print', description: 'The printer.' }),
    () => call('TaskUpdate', { taskId: ids()[1], addBlockedBy: [ids()[0]], owner: 'main' }),
    () => call('TaskUpdate', { taskId: ids()[1], status: 'in_progress' }),
    () => call('TaskUpdate', { taskId: ids()[0], status: 'in_progress' }),
    () => call('TaskUpdate', { taskId: ids()[0], status: 'completed' }),
    call('TaskList', {}),
    () => call('TaskGet', { taskId: ids()[1] }),
    say('Done.'),
  ]);
  const ids = () => listIds(events);
  await prompt('Go.');
  await session.close();
  const [first, second] = ids();
  expect(texts(events).slice(2)).toMatchObject([
    `${second}: changed blockedBy, owner. Now: ${second} [pending] Print, assigned to main.`,
    expect.stringContaining(`${second} "Print" is blocked by ${first} "Parse" (not claimed).`),
    `${first}: changed status, owner. Now: ${first} [in_progress] Parse, by main.`,
    `${first}: changed status. Now: ${first} [completed] Parse, by main. Now unblocked: ${second} [pending] Print, assigned to main.`,
    `${first} [completed] Parse, by main\n${second} [pending] Print, assigned to main`,
    expect.stringContaining(`blocked by ${first} [completed] Parse, by main`),
  ]);
  expect(results(events)[3]?.data).toMatchObject({ success: false, taskId: second, updatedFields: [] });
  expect(results(events)[5]?.data).toEqual({
    ...{ success: true, taskId: first, updatedFields: ['status'] },
    statusChange: { from: 'in_progress', to: 'completed' },
  });
  expect(results(events)[6]?.data).toEqual({
    tasks: [
      { id: first, subject: 'Parse', status: 'completed', owner: 'main', blockedBy: [] },
      { id: second, subject: 'Print', status: 'pending', owner: 'main', blockedBy: [] },
    ],
  });
  const changes = events.flatMap((event) => (event.type === 'board_changed' ? [event] : []));
  expect(changes.map(({ board, item }) => [board, item.subject, item.revision])).toContainEqual([
    ...[session.id, 'Parse', 2],
  ]);
});

test('TM9 a resumed session has its board again, with the items that its lead had begun', async () => {
  const at = newPlace();
  const first = await open(at, [
    call('TaskCreate', { subject: 'Parse', description: '' }),
    () => call('TaskUpdate', { taskId: findId(first.events), status: 'in_progress' }),
    say('Begun.'),
  ]);
  await first.prompt('Go.');
  await first.session.close();
  const again = await open(at, [call('TaskList', {}), say('Ok.')], {
    resume: { from: 'id', id: first.session.id },
  });
  await again.prompt('On.');
  await again.session.close();
  expect(texts(again.events)).toEqual([`${findId(first.events)} [in_progress] Parse, by main`]);
});

function listIds(events: readonly AgentEvent[]): string[] {
  return results(events).flatMap(({ text }) => /^Added (\w+) /.exec(text)?.[1] ?? []);
}

function findId(events: readonly AgentEvent[]): string {
  return listIds(events)[0] ?? '';
}

test('a session that is not stored leaves no board behind', async () => {
  const at = newPlace();
  const turns = [call('TaskCreate', { subject: 'A', description: '' }), call('TaskList', {}), say('Ok.')];
  const { session, prompt, events } = await open(at, turns, { persist: false });
  await prompt('Go.');
  await session.close();
  expect(texts(events)[1]).toContain('[pending] A');
  expect(existsSync(join(at.home, 'projects'))).toBe(false);
});

test('TM16 what another process adds to the board is an event of the session', async () => {
  const { session, prompt, events } = await open(newPlace(), [
    call('TaskCreate', { subject: 'Ours', description: '' }),
    say('Ok.'),
  ]);
  await prompt('Go.');
  const made = openFromOutside(session.info().transcriptPath).create({ subject: 'Theirs' }, { name: 'user' });
  expect(made.ok).toBe(true);
  await until(() =>
    events.some((event) => event.type === 'board_changed' && event.item.subject === 'Theirs'),
  );
  await session.close();
});

test('nothing is written for a session that does not use the board', async () => {
  const { session, prompt } = await open(newPlace(), [call('TaskList', {}), say('Ok.')]);
  await prompt('Go.');
  await session.close();
  const { directory } = openFromOutside(session.info().transcriptPath);
  expect(existsSync(directory)).toBe(false);
});

test('fields that a model is not shown are taken; unknown ones are refused', async () => {
  const { session, prompt, events } = await open(newPlace(), [
    call('TaskCreate', { subject: 'A', description: '', activeForm: 'Doing A' }),
    call('TaskCreate', { subject: 'A', description: '', colour: 'red' }),
    () =>
      call('TaskUpdate', {
        ...{ taskId: findId(events), subject: 'B', metadata: { a: 1 } },
        addLinks: [{ kind: 'related', to: 'none' }],
      }),
    () => call('TaskUpdate', { taskId: findId(events), subject: 'B', metadata: { a: 1 } }),
    say('Ok.'),
  ]);
  await prompt('Go.');
  await session.close();
  const said = texts(events);
  expect(said[1]).toContain('colour');
  expect(said[2]).toContain('There is no item "none" on the board.');
  expect(said[3]).toContain('changed subject, metadata');
});

test('hooks at TaskCreated and TaskCompleted are asked about board items', async () => {
  const at = newPlace();
  const log = join(at.cwd, 'log');
  const on = (command: string) => [{ hooks: [{ type: 'command', command }] }];
  mkdirSync(at.home, { recursive: true, mode: 0o700 });
  writeFileSync(
    join(at.home, 'settings.json'),
    JSON.stringify({
      hooks: {
        TaskCreated: on(
          `cat >> ${log}; echo >> ${log}; grep -q Forbidden ${log} && { echo "not that" >&2; exit 2; }; true`,
        ),
        TaskCompleted: on('echo "tests are red" >&2; exit 2'),
      },
    }),
    { mode: 0o600 },
  );
  const { session, prompt, events } = await open(at, [
    call('TaskCreate', { subject: 'Ship', description: 'It.' }),
    () => call('TaskUpdate', { taskId: findId(events), status: 'completed' }),
    call('TaskCreate', { subject: 'Forbidden', description: '' }),
    call('TaskList', {}),
    say('Ok.'),
  ]);
  await prompt('Go.');
  await session.close();
  const id = findId(events);
  expect(texts(events).slice(1)).toEqual([
    expect.stringContaining(`${id} is not completed: tests are red`),
    expect.stringContaining('The item was not added: not that'),
    `${id} [pending] Ship`,
  ]);
  const [first = ''] = (await Bun.file(log).text()).split('\n');
  expect(JSON.parse(first)).toMatchObject({ task_id: id, task_subject: 'Ship', task_description: 'It.' });
});
