import { expect, test } from 'bun:test';
import type { TranscriptRecord } from '../../src/protocol/index.ts';
import { loadTranscript } from '../../src/store/transcript.ts';
import { call, calls, say, together } from '../../src/testing/index.ts';
import {
  type Entry,
  emptyView,
  fromRecords,
  isAtWork,
  loadConversation,
  prependRecords,
  reduce,
  type View,
} from '../../src/view/index.ts';
import { agentTasks, gate, nextEvent, openStory, type Story } from '../agents/support.ts';
import { recordsOf } from '../session/support.ts';
import { lead, told, watch } from './support.ts';

const agents = { scout: { description: 'x', prompt: 'You look.' } };
const hire = (prompt: string, more = {}) =>
  call('Agent', { description: prompt, prompt, subagent_type: 'scout', ...more });

/** A lead with files, calls, an agent and a compaction behind it. */
async function lived(): Promise<Story> {
  const story = await openStory(
    {
      lead: [
        call('Write', { file_path: 'a.txt', content: 'one\n' }),
        together(say('Written.'), call('Edit', { file_path: 'a.txt', old_string: 'one', new_string: '1' })),
        say('Edited.'),
        hire('Look'),
        say('Looked.'),
        say('The summary.'),
        call('TodoWrite', { todos: [{ content: 'Rest', status: 'pending', activeForm: 'Resting' }] }),
        say('The end.'),
      ],
      agents: { Look: [call('Glob', { pattern: '*' }), say('Seen.')] },
    },
    { agents, permissionMode: 'acceptEdits' },
  );
  await story.prompt('First');
  await story.prompt('Second');
  story.session.send({ type: 'compact' });
  await story.runs(3);
  await story.prompt('Third');
  return story;
}

/** What is in no transcript. */
const isStored = ({ kind }: Entry) => kind !== 'end' && kind !== 'notice';

test('a resumed session shows what the running one showed', async () => {
  const story = await lived();
  const records = await recordsOf(story.session);
  await story.session.close();
  const live = watch(story.events);
  const stored = fromRecords(records);
  expect(told(stored.lead)).toEqual(told({ entries: live.lead.entries.filter(isStored) }));
  expect(stored.lead.entries.map(({ id }) => id)).toEqual(
    live.lead.entries.filter(isStored).map(({ id }) => id),
  );
  expect(stored.lead.before).toBeNull();
  expect(stored.session).toMatchObject({
    id: story.session.id,
    cwd: story.at.cwd,
    mode: 'acceptEdits',
    model: 'scripted/model',
    todos: [{ content: 'Rest' }],
    context: { used: live.session.context.used },
  });
  expect([...stored.agents.values()]).toMatchObject([{ type: 'scout', state: 'completed', toolUses: 1 }]);
});

test('a call without a result is lost in an earlier session, and open in one that still runs', async () => {
  const story = await lived();
  const records = await recordsOf(story.session);
  await story.session.close();
  const asks = records.findIndex((record) => record.type === 'assistant');
  const cut = records.slice(0, asks + 1);
  const earlier = fromRecords(cut).lead;
  expect(earlier.entries.at(-1)).toMatchObject({ kind: 'call', call: { toolName: 'Write', state: 'lost' } });
  expect(earlier.live.calls).toEqual([]);
  const running = fromRecords(cut, {}, undefined, { isLeadRunning: true }).lead;
  expect(running.entries.map(({ kind }) => kind)).not.toContain('call');
  expect(running.live.calls).toMatchObject([{ toolName: 'Write', state: 'waiting' }]);
});

test('an edit of a resumed session has its diff, a new file its lines', async () => {
  const story = await lived();
  const records = await recordsOf(story.session);
  await story.session.close();
  const diffs = fromRecords(records).lead.entries.flatMap((entry) =>
    entry.kind === 'call' && entry.call.diff ? [entry.call.diff] : [],
  );
  expect(diffs).toMatchObject([
    { path: 'a.txt', isNew: true, added: 1 },
    { path: 'a.txt', isNew: false, added: 1, removed: 1 },
  ]);
});

test('P3 the tail is shown first, and what is put before it makes the whole, wherever it was cut', async () => {
  const story = await lived();
  const records = await recordsOf(story.session);
  await story.session.close();
  const whole = fromRecords(records);
  for (let cut = 1; cut < records.length; cut++) {
    const tail = fromRecords(records.slice(cut));
    const shown = tail.lead.entries.length;
    expect(told(tail.lead)).toEqual(told(whole.lead).slice(-shown || whole.lead.entries.length));
    const both = prependRecords(tail, records.slice(0, cut));
    expect(told(both.lead)).toEqual(told(whole.lead));
    expect(both.lead.before).toBeNull();
  }
});

test('older records can come in several pieces', async () => {
  const story = await lived();
  const records = await recordsOf(story.session);
  await story.session.close();
  const size = 3;
  let end = records.length - size;
  let view = fromRecords(records.slice(end));
  for (; end > 0; end -= size) view = prependRecords(view, records.slice(Math.max(0, end - size), end));
  expect(told(view.lead)).toEqual(told(fromRecords(records).lead));
});

test('what a rewind left behind is not shown', () => {
  const records = [header, ...chain('a', 'b', 'c'), message('d', 'a')];
  expect(told(fromRecords(records).lead)).toEqual(['person: a', 'person: d']);
});

test('somebody who went back and has said nothing since sees what counts', () => {
  const records = [header, ...chain('a', 'b', 'c'), rewound('a'), rewound(undefined)];
  expect(told(fromRecords(records).lead)).toEqual(['person: a']);
  expect(told(fromRecords([...records, rewound(null)]).lead)).toEqual([]);
});

test('a tail that begins in what a rewind left behind shows none of that', () => {
  const records = [...chain('a', 'b', 'c'), message('d', 'a')];
  const tail = fromRecords(records.slice(1));
  expect(told(tail.lead)).toEqual(['person: d']);
  expect(told(prependRecords(tail, [header, ...records.slice(0, 1)]).lead)).toEqual([
    'person: a',
    'person: d',
  ]);
});

test('where a line was damaged the order of the file is taken', () => {
  const records = [header, message('a', null), message('c', 'b')];
  expect(told(fromRecords(records).lead)).toEqual(['person: a', 'person: c']);
});

test("UI2 an agent's conversation is filled from its transcript while it runs, and goes on without a seam", async () => {
  const hold = gate();
  const story = await openStory(
    {
      lead: [hire('Look'), say('Ok.')],
      agents: {
        Look: [
          together(say('I begin.'), call('Glob', { pattern: '*' })),
          () => hold.opened.then(() => calls([call('Glob', { pattern: 'x' })])),
          say('Seen.'),
        ],
      },
    },
    { agents },
  );
  const second = nextEvent(
    story,
    (event) => event.type === 'turn_started' && event.turn === 2 && event.agentId !== null,
  );
  story.session.send({ type: 'prompt', content: 'Go' });
  await second;
  const [agent] = watch(story.events).agents.values();
  const id = agent?.id ?? '';
  const loaded = await loadTranscript(story.agentTranscript(id));
  if (!loaded.ok) throw new Error(loaded.problem.message);
  // As if nothing of it had been heard so far.
  const late = loadConversation(watch(story.events.slice(0, 3)), id, loaded.value.records);
  const from = story.events.length;
  hold.open();
  await story.runs(1);
  await story.session.close();
  const view = watch(story.events.slice(from), late);
  expect(told(view.agents.get(id)?.conversation ?? view.lead)).toEqual([
    'parent: Look',
    'says: I begin.',
    'Glob * done',
    'Glob x done',
    'says: Seen.',
    'end: completed',
  ]);
});

test('loading what is known already changes nothing', async () => {
  const story = await lived();
  await story.session.close();
  const view = watch(story.events);
  const [agent] = view.agents.values();
  const loaded = await loadTranscript(story.agentTranscript(agent?.id ?? ''));
  if (!loaded.ok) throw new Error(loaded.problem.message);
  const after = loadConversation(view, agent?.id ?? '', loaded.value.records);
  expect(told(after.agents.get(agent?.id ?? '')?.conversation ?? view.lead).sort()).toEqual(
    told(agent?.conversation ?? view.lead).sort(),
  );
});

test('nothing gives an empty view', () => {
  expect(fromRecords([])).toEqual(emptyView());
});

const header: TranscriptRecord = {
  type: 'cadre-transcript',
  format: 1,
  sessionId: 's',
  cwd: '/work',
  version: '1',
  createdAt: '2026-01-01T00:00:00.000Z',
};

function message(uuid: string, parentUuid: string | null): TranscriptRecord {
  return {
    ...{ type: 'user', uuid, parentUuid, sessionId: 's', isSidechain: false },
    timestamp: '2026-01-01T00:00:00.000Z',
    message: { role: 'user', content: [{ type: 'text', text: uuid }] },
    origin: { kind: 'human' },
  };
}

function rewound(head: string | null | undefined): TranscriptRecord {
  const record = {
    type: 'rewind',
    uuid: 'r',
    to: 'x',
    isDone: true,
    ...(head === undefined ? {} : { head }),
  };
  return record as unknown as TranscriptRecord;
}

function chain(...uuids: string[]): TranscriptRecord[] {
  return uuids.map((uuid, index) => message(uuid, uuids[index - 1] ?? null));
}

test('an agent in the background is closed in one place, also when a kill cut it off and its end is told later', async () => {
  const hold = gate();
  const story = await openStory(
    {
      lead: [hire('Look', { run_in_background: true }), say('Started.'), say('I see.')],
      agents: { Look: [() => hold.opened.then(() => say('Seen.'))] },
    },
    { agents },
  );
  await story.prompt('Go');
  // As a kill would leave them.
  const cut = await recordsOf(story.session);
  hold.open();
  await story.runs(2);
  const records = await recordsOf(story.session);
  await story.session.close();

  const live = watch(story.events).lead;
  expect(told(fromRecords(records).lead)).toEqual(told({ entries: live.entries.filter(isStored) }));

  const pieces = prependRecords(fromRecords(records.slice(cut.length)), records);
  expect(told(pieces.lead)).toEqual(told(fromRecords(records).lead));

  const resumed = fromRecords(cut);
  expect(closings(resumed)).toEqual(['killed']);
  const letter = records.find(
    (record) => record.type === 'user' && record.origin.kind === 'task-notification',
  );
  if (letter?.type !== 'user') throw new Error('it was not told');
  expect(closings(reduce(resumed, lead({ type: 'message_added', record: letter })))).toEqual(['killed']);
});

/** Every row that says how an agent ended. */
function closings({ lead: { entries } }: View): string[] {
  const agents = entries.flatMap((entry) => {
    if (entry.kind === 'agents') return entry.calls.flatMap((one) => one.agents);
    return entry.kind === 'notification' && entry.agent ? [entry.agent] : [];
  });
  return agents.flatMap(({ state }) => (isAtWork(state) ? [] : [state]));
}

test('an agent that was gone on with stands where it was started as it stood there before', async () => {
  const hold = gate();
  const story = await openStory(
    {
      lead: [hire('Look'), say('Moved.'), say('I see.'), say('I see more.')],
      agents: { Look: [() => hold.opened.then(() => say('Seen.')), say('Seen more.')] },
    },
    { agents },
  );
  const began = nextEvent(story, (event) => event.type === 'turn_started' && event.agentId !== null);
  story.session.send({ type: 'prompt', content: 'Go' });
  await began;
  story.session.send({ type: 'background_tasks' });
  await story.runs(1);
  hold.open();
  await story.runs(2);
  await story.session.messageAgent(agentTasks(story)[0]?.id ?? '', 'Look again.');
  await story.runs(3);
  const records = await recordsOf(story.session);
  await story.session.close();
  const live = watch(story.events).lead;
  const stored = fromRecords(records).lead;
  expect(told(stored)).toEqual(told({ entries: live.entries.filter(isStored) }));
});
