import { expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, calls, say, scriptedModel, type Turn, think, together } from '../../src/testing/index.ts';
import { type Place, place, placeless, recording, replaying, wire } from './support.ts';

const files = { 'a.txt': 'hello\n', 'b.txt': 'wörld 🙂\n' };

const turns = (at: Place): Turn[] => [
  together(think('Let me see.'), say('Looking.'), ...reads(at)),
  call('Edit', { file_path: join(at.cwd, 'a.txt'), old_string: 'hello', new_string: 'goodbye' }),
  call('Bash', { command: 'mkdir -p deep && cd deep && pwd' }),
  call('TodoWrite', { todos: [{ content: 'rest', status: 'pending', activeForm: 'Resting' }] }),
  say('Done.'),
  call('Bash', { command: 'cat ../a.txt; echo oops >&2; exit 3' }),
  say('It says goodbye.'),
];

function reads(at: Place) {
  return [
    calls([
      call('Read', { file_path: join(at.cwd, 'a.txt') }),
      call('Grep', { pattern: 'w', path: at.cwd }),
      call('Read', { file_path: join(at.cwd, 'b.txt') }),
    ]),
  ];
}

/** A model that must not be asked. */
const nobody = scriptedModel([]);

async function record(at: Place) {
  const model = scriptedModel(turns(at));
  const run = await wire(at, recording(at), model);
  const outcomes = [await run.prompt('What is in here?'), await run.prompt('And now?')];
  expect(outcomes.map((outcome) => outcome.kind)).toEqual(['completed', 'completed']);
  model.assertConsumed();
  return run.close();
}

async function replay(at: Place, tape = at.tape) {
  const run = await wire(at, await replaying(at, tape), nobody);
  const outcomes = [await run.prompt('What is in here?')];
  if (outcomes[0]?.kind === 'completed') outcomes.push(await run.prompt('And now?'));
  return { outcomes, ...(await run.close()) };
}

test('G10 a run of several turns replays byte for byte: same events, same transcript, no side effects', async () => {
  const at = place(files);
  const recorded = await record(at);
  expect(recorded.problem).toBeUndefined();
  const there = place(files);
  const replayed = await replay(there, at.tape);
  expect(replayed.problem).toBeUndefined();
  expect(placeless(there, replayed.transcript)).toBe(placeless(at, recorded.transcript));
  expect(replayed.events.map((event) => placeless(there, event))).toEqual(
    recorded.events.map((event) => placeless(at, event)),
  );
  expect(readFileSync(join(there.cwd, 'a.txt'), 'utf8')).toBe('hello\n');
  expect(existsSync(join(there.cwd, 'deep'))).toBe(false);
  expect(nobody.requests).toHaveLength(0);
});

test('G10 a changed tool result is reported at the first difference, with both sides', async () => {
  const at = place(files);
  await record(at);
  const tape = readFileSync(at.tape, 'utf8');
  expect(tape).toContain('goodbye\\noops');
  writeFileSync(at.tape, tape.replace('goodbye\\noops', 'farewell\\noops'));
  const replayed = await replay(place(files), at.tape);
  expect(replayed.outcomes.map((outcome) => outcome.kind)).toEqual(['completed', 'failed']);
  const reason = replayed.outcomes.at(-1)?.reason ?? '';
  expect(reason).toMatch(
    /differs from its recording at line \d+ of .*, request 7 of the lead, messages\.\d+\.content\.0\.content\.0\.text:\n/,
  );
  expect(reason).toMatch(/recorded: .*goodbye/);
  expect(reason).toMatch(/now: .*farewell/);
  expect(replayed.problem).toBe(reason);
});
