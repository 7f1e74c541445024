import { expect, test } from 'bun:test';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { anthropicBody } from '../../src/models/anthropic/request.ts';
import type { CompactBoundaryRecord, ModelFacts, ModelRequest } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import {
  call,
  calls,
  type FixedTurn,
  lastUserText,
  type ScriptedModel,
  say,
  scriptedModel,
} from '../../src/testing/index.ts';
import { type Opened, open, type Place, place, recordsOf } from './support.ts';

const facts: ModelFacts = {
  window: 8_000,
  maxOutput: 1_000,
  images: false,
  thinking: [],
  known: true,
};

const fileCount = 50;

/** Fifty files of about fifteen hundred tokens each: together ten times the window. */
function work(): Place {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  mkdirSync(at.environment.HOME ?? '', { recursive: true });
  for (let index = 0; index < fileCount; index++) writeFileSync(fileOf(at, index), textOf(index));
  return at;
}

const fileOf = (at: Place, index: number) => join(at.cwd, `file${index}.txt`);
const textOf = (index: number) => `Line of file ${index}, which says nothing.\n`.repeat(160);

/** Answers requests for a summary by itself, and everything else from the script. */
function modelWith(turns: FixedTurn[]): ScriptedModel {
  const left = [...turns];
  return scriptedModel(
    (request) =>
      isSummarising(request)
        ? `The summary, number ${request.messages.length}.`
        : (left.shift() ?? 'The script is at its end.'),
    { facts },
  );
}

function isSummarising(request: ModelRequest): boolean {
  return lastUserText(request).includes('replaced by a summary that you write now');
}

async function openWith(at: Place, turns: FixedTurn[], options: SessionOptions = {}) {
  const model = modelWith(turns);
  const opened = await open(at, [], { model, permissionMode: 'acceptEdits', ...options });
  return { ...opened, model };
}

function readAll(at: Place): FixedTurn[] {
  const reads = Array.from({ length: fileCount }, (_, index) =>
    call('Read', { file_path: fileOf(at, index) }),
  );
  const todos = [{ content: 'Read all fifty files', status: 'in_progress' }];
  return [call('TodoWrite', { todos }), ...reads.slice(0, 40), calls(reads.slice(40)), say('All read.')];
}

const bodyOf = (request: ModelRequest | undefined) =>
  request ? anthropicBody('m', request, facts) : 'there was no request';

const compactions = ({ events }: Pick<Opened, 'events'>) =>
  events.filter((event) => event.type === 'conversation_compacted');

test('a session driven to ten times its window goes on working, and resumes byte for byte', async () => {
  const at = work();
  const edit = call('Edit', {
    file_path: fileOf(at, 0),
    old_string: 'Line of file 0',
    new_string: 'Mended',
    replace_all: true,
  });
  const live = await openWith(at, [...readAll(at), edit, say('Mended.'), say('The same.')]);
  expect(await live.prompt('Read all the files, then say so.')).toMatchObject({
    text: 'All read.',
    turns: 43,
  });
  expect(compactions(live).length).toBeGreaterThan(10);
  const size = JSON.stringify(await recordsOf(live.session)).length;
  expect(size / 4).toBeGreaterThan(10 * facts.window);
  for (const request of live.model.requests)
    expect(JSON.stringify(request.messages).length / 4).toBeLessThan(facts.window);

  // What was read before the boundaries can still be edited.
  expect(await live.prompt('Mend the first file.')).toMatchObject({ text: 'Mended.' });
  expect(readFileSync(fileOf(at, 0), 'utf8')).toStartWith('Mended, which');

  const copy = {
    ...at,
    home: `${at.home}-copy`,
    environment: { ...at.environment, CADRE_HOME: `${at.home}-copy` },
  };
  cpSync(join(at.home, 'projects'), join(copy.home, 'projects'), { recursive: true });
  expect(await live.prompt('And now?')).toMatchObject({ text: 'The same.' });
  await live.session.close();
  const back = await openWith(copy, [say('The same.')], { resume: { from: 'latest' } });
  expect(await back.prompt('And now?')).toMatchObject({ text: 'The same.' });
  expect(bodyOf(back.model.requests[0])).toBe(bodyOf(live.model.requests.at(-1)));
  expect(bodyOf(back.model.requests[0])).toContain('Read all fifty files (in progress)');
  await back.session.close();
});

test('the transcript keeps everything that was said before a boundary', async () => {
  const at = work();
  const { session, prompt } = await openWith(at, readAll(at));
  await prompt('Read all the files, then say so.');
  const records = await recordsOf(session);
  const calls = records
    .flatMap((record) => (record.type === 'assistant' && !record.copyOf ? record.message.content : []))
    .filter((block) => block.type === 'tool_use');
  expect(calls).toHaveLength(fileCount + 1);
  const line = records.findIndex((record) => record.type === 'compact-boundary');
  const boundary = records[line] as CompactBoundaryRecord;
  expect(records[line + 1]).toMatchObject({ type: 'user', uuid: boundary.summaryUuid, parentUuid: null });
  expect(records[line - 1]).toMatchObject({ uuid: boundary.logicalParentUuid });
  await session.close();
});

test('a compact command replaces the conversation, also across a resume', async () => {
  const at = work();
  const reads = [0, 1].map((index) => call('Read', { file_path: fileOf(at, index) }));
  const first = await openWith(at, [...reads, say('Read.')]);
  await first.prompt('Read two files.');
  expect(first.session.send({ type: 'compact', instructions: 'mind the names' })).toMatchObject({ ok: true });
  const [, outcome] = await first.runs(2);
  expect(outcome).toMatchObject({ kind: 'completed', turns: 0 });
  expect(compactions(first)).toMatchObject([{ trigger: 'manual' }]);
  expect(lastUserText(first.model.requests.at(-1) as ModelRequest)).toContain('mind the names');
  await first.session.close();

  const second = await openWith(at, [say('Here.')], { resume: { from: 'latest' } });
  expect(await second.prompt('Still there?')).toMatchObject({ text: 'Here.' });
  const body = bodyOf(second.model.requests[0]);
  expect(body).toContain('The summary');
  expect(body).toContain(fileOf(at, 1));
  expect(body).not.toContain('Line of file');
  await second.session.close();
});

test('a prompt that comes with a compact command is answered after it', async () => {
  const at = work();
  const { session, model, prompt, runs } = await openWith(at, [say('One.'), say('Two.')]);
  await prompt('First.');
  session.send({ type: 'compact' });
  session.send({ type: 'prompt', content: 'Second.' });
  const outcomes = await runs(3);
  expect(outcomes.map(({ text }) => text.split(' ')[0])).toEqual(['One.', 'Compacted', 'Two.']);
  expect(lastUserText(model.requests.at(-1) as ModelRequest)).toContain('The summary');
  await session.close();
});

test('commands are taken in the order of sending: a compaction waits for the prompts before it', async () => {
  const { session, runs } = await openWith(work(), [say('One.'), say('Two.')]);
  session.send({ type: 'prompt', content: 'First.' });
  session.send({ type: 'compact' });
  session.send({ type: 'prompt', content: 'Second.' });
  const outcomes = await runs(3);
  expect(outcomes.map(({ text }) => text.split(' ')[0])).toEqual(['One.', 'Compacted', 'Two.']);
  await session.close();
});

test('a fork of a compacted session begins with its summary', async () => {
  const at = work();
  const first = await openWith(at, readAll(at));
  await first.prompt('Read all the files, then say so.');
  await first.session.close();
  const fork = await openWith(at, [say('Forked.')], { resume: { from: 'latest' }, fork: true });
  expect(await fork.prompt('Go on.')).toMatchObject({ text: 'Forked.' });
  expect(fork.model.requests[0]?.messages[0]?.content[0]).toMatchObject({
    text: expect.stringContaining('The summary'),
  });
  await fork.session.close();
});
