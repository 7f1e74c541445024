import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { systemClock } from '../../src/lib/clock.ts';
import { recordRun } from '../../src/replay/record.ts';
import { replayRun } from '../../src/replay/replay.ts';
import { call, say, scriptedModel } from '../../src/testing/index.ts';
import { type Place, place, recording, replaying, wire } from './support.ts';

async function recorded(): Promise<Place> {
  const at = place({ 'a.txt': 'hello\n' });
  const run = await wire(
    at,
    recording(at),
    scriptedModel([call('Bash', { command: 'cat a.txt' }), say('It says hello.')]),
  );
  await run.prompt('What is in a.txt?');
  expect((await run.close()).problem).toBeUndefined();
  return at;
}

/** Replays with the tape changed, in a place of its own. */
async function replayWith(at: Place, change: (tape: string) => string, prompt = 'What is in a.txt?') {
  writeFileSync(at.tape, change(readFileSync(at.tape, 'utf8')));
  const there = place();
  const run = await wire(there, await replaying(there, at.tape, 200), scriptedModel([]));
  const outcome = await run.prompt(prompt).catch((error: Error) => error.message);
  return { outcome, problem: (await run.close().catch(() => ({ problem: 'not closed' }))).problem ?? '' };
}

const withoutLines = (tape: string, wanted: (line: string) => boolean) =>
  tape
    .split('\n')
    .filter((line) => !wanted(line))
    .join('\n');

test('another prompt is the first difference', async () => {
  const at = await recorded();
  const { outcome } = await replayWith(at, (tape) => tape, 'What is in b.txt?');
  expect(outcome).toMatch(
    /at line 3 of .*, the command, content:\n {2}recorded: "What is in a\.txt\?"\n +now: "What is in b\.txt\?"/,
  );
});

test('a call with another input is the first difference', async () => {
  const at = await recorded();
  const { problem } = await replayWith(at, (tape) =>
    tape.replace(/("type":"call".*)cat a\.txt/, '$1rm a.txt'),
  );
  expect(problem).toMatch(
    /the call lead toolu_1_1_0, input\.command:\n {2}recorded: "rm a\.txt"\n +now: "cat a\.txt"/,
  );
});

test('a call that was never recorded is the first difference, and is not run', async () => {
  const at = await recorded();
  const { outcome, problem } = await replayWith(at, (tape) =>
    withoutLines(tape, (line) => /^\{"type":"(call|result)"/.test(line)),
  );
  expect(problem).toMatch(/recorded: no such call\n +now: a call of Bash .*cat a\.txt/);
  expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'diverged' } });
});

test('a recording that breaks off is a difference where it does', async () => {
  const at = await recorded();
  const { problem } = await replayWith(at, (tape) => {
    const lines = tape.trimEnd().split('\n');
    return `${lines.slice(0, -2).join('\n')}\n`;
  });
  expect(problem).toMatch(/the answer to request 2:\n {2}recorded: no further step for it/);
});

test('a run that ends before its recording does is a difference', async () => {
  const at = await recorded();
  const command = { type: 'command', at: 99_999, command: { type: 'prompt', content: 'And then?' } };
  const { outcome, problem } = await replayWith(at, (tape) => `${tape}${JSON.stringify(command)}\n`);
  expect(outcome).toMatchObject({ kind: 'completed' });
  expect(problem).toMatch(
    /where the run ended:\n {2}recorded: the command .*And then\?.*\n +now: the end of the run/,
  );
});

test('a step that nobody asks for any more does not hold up the run for ever', async () => {
  const at = await recorded();
  const stray = { type: 'task', at: 0, task: 'nobody', end: { status: 'completed', text: '' } };
  const { outcome } = await replayWith(at, (tape) =>
    tape.replace(/^\{"type":"event"/m, `${JSON.stringify(stray)}\n$&`),
  );
  expect(outcome).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(
      /where the run stopped:\n {2}recorded: task nobody.*\n +now: .*the answer to request 1/,
    ),
  });
});

test('a long text is shown around its first difference only', async () => {
  const at = await recorded();
  const { problem } = await replayWith(at, (tape) =>
    tape.replace(/("type":"result".*?)hello/, `$1${'x'.repeat(50_000)}`),
  );
  expect(problem.length).toBeLessThan(1_200);
});

const bad: [what: string, text: string | undefined, message: RegExp][] = [
  ['is not there', undefined, /no such file/],
  ['is empty', '', /empty/],
  ['is something else', 'hello\n', /line 1: incomplete JSON/],
  ['is another file of ours', '{"type":"cadre-transcript"}\n', /line 1: this is not a tape/],
  ['is of a newer format', header({ format: 99 }), /format 99; this version of Cadre reads format 1/],
  ['has a damaged line', `${header({})}{"type":"event","at":\n`, /line 2: incomplete JSON/],
  ['has a strange entry', `${header({})}{"type":"film"}\n`, /line 2: unexpected type/],
  [
    'has an entry that lacks something',
    `${header({})}{"type":"event","at":1,"event":{}}\n`,
    /line 2: unexpected request/,
  ],
];
for (const [what, text, message] of bad)
  test(`a tape that ${what} is refused by name and line`, async () => {
    const { tape } = place();
    if (text !== undefined) writeFileSync(tape, text);
    const opened = await replayRun(tape, { secrets: [], places: {}, clock: systemClock });
    if (opened.ok) throw new Error('it was taken');
    const { kind, message: said, hint } = opened.problem;
    expect(kind).toBe('usage');
    expect(said).toMatch(message);
    expect(said).toContain(tape);
    expect(hint).toBeString();
  });

test('a tape is not written over', () => {
  const { tape } = place();
  writeFileSync(tape, 'mine');
  const opened = recordRun(tape, { secrets: [], places: {}, clock: systemClock });
  expect(opened).toMatchObject({
    ok: false,
    problem: { kind: 'usage', message: expect.stringContaining(tape) },
  });
  expect(readFileSync(tape, 'utf8')).toBe('mine');
});

test('a model that the recorded run did not use is refused', async () => {
  const at = await recorded();
  const reel = await replaying(at);
  expect(reel.openModel('opus', () => ({ ok: true, value: scriptedModel([]) }))).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining('opus') },
  });
});

function header(change: object): string {
  return `${JSON.stringify({ type: 'cadre-tape', format: 1, version: '0', startedAt: 0, seed: 'abcdef', ...change })}\n`;
}
