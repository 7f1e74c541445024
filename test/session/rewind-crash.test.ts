import { expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openStoredRewind } from '../../src/commands/rewind/stored.ts';
import { performRewind, type RewindPlace } from '../../src/rewind/rewind.ts';
import { lookAround } from '../../src/session/surroundings.ts';
import { readCheckpoints } from '../../src/store/checkpoints.ts';
import { findSession } from '../../src/store/sessions.ts';
import { loadTranscript } from '../../src/store/transcript.ts';
import { call, calls, say } from '../../src/testing/index.ts';
import { mustHave } from '../store/build.ts';
import { open, place } from './support.ts';

/** A closed session whose one prompt changed one file and made another. */
async function closedSession() {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const file = (name: string) => `${at.cwd}/${name}`;
  writeFileSync(file('a'), 'zero');
  const turns = [
    call('Read', { file_path: 'a' }),
    call('Write', { file_path: 'a', content: 'one' }),
    call('Write', { file_path: 'b', content: 'new' }),
    say('Done.'),
  ];
  const { session, prompt } = await open(at, turns, { permissionMode: 'acceptEdits' });
  await prompt('go');
  const to = session.messages()[0]?.uuid ?? '';
  await session.close();
  const around = lookAround({ cwd: at.cwd, environment: at.environment });
  const stored = async () =>
    mustHave(openStoredRewind(mustHave(await findSession(around.layout, session.id)), around, []));
  const states = () => [readFileSync(file('a'), 'utf8'), existsSync(file('b'))];
  return { at, to, stored, states, id: session.id };
}

class Killed extends Error {}

/** Dies instead of its n-th record, or right after it. */
function dyingAt(place: RewindPlace, count: number, after: boolean): RewindPlace {
  let left = count;
  const append: RewindPlace['append'] = (record) => {
    const dies = left-- === 0;
    if (dies && !after) throw new Killed();
    const done = place.append(record);
    if (dies) throw new Killed();
    return done;
  };
  const history: RewindPlace['history'] = {
    async keep(...given) {
      const dies = left-- === 0;
      if (dies && !after) throw new Killed();
      const done = await place.history.keep(...given);
      if (dies) throw new Killed();
      return done;
    },
  };
  return { ...place, append, history };
}

test('G4: killed at any record, a rewind can be repeated, and undone, as if nothing had happened', async () => {
  for (let count = 0; count < 4; count++)
    for (const after of [false, true]) {
      const { to, stored, states } = await closedSession();
      const wish = { to, what: 'both' } as const;
      const first = await stored();
      await performRewind(dyingAt(first.place, count, after), wish).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
      first.close();
      const second = await stored();
      const done = mustHave(await performRewind(second.place, wish));
      expect(done.report.refused).toEqual([]);
      expect(states()).toEqual(['zero', false]);
      const undo = readCheckpoints(mustHave(await loadTranscript(second.place.files.transcript)).records).at(
        -1,
      );
      mustHave(await performRewind(second.place, { to: undo?.uuid ?? '', what: 'both' }));
      expect(states()).toEqual(['one', true]);
      second.close();
    }
});

test('a rewind that was cut off is told when the session goes on', async () => {
  const { at, to, stored, id } = await closedSession();
  const first = await stored();
  await performRewind(dyingAt(first.place, 1, true), { to, what: 'both' }).catch(() => undefined);
  first.close();
  const { session, events, prompt } = await open(at, [say('Hi.')], {
    resume: { from: 'id', id },
    permissionMode: 'acceptEdits',
  });
  await prompt('again');
  expect(events.filter((event) => event.type === 'notice_given')).toMatchObject([
    { text: expect.stringContaining(`cadre sessions rewind ${id} --to ${to} --files`) },
  ]);
  await session.close();
});

test('a session that is open elsewhere is not gone back in from outside', async () => {
  const { at, id } = await closedSession();
  const { session } = await open(at, [], { resume: { from: 'id', id } });
  const around = lookAround({ cwd: at.cwd, environment: at.environment });
  const found = mustHave(await findSession(around.layout, id));
  expect(dirname(found.path)).toBe(found.projectDirectory);
  expect(openStoredRewind(found, around, [])).toMatchObject({ ok: false, problem: { kind: 'usage' } });
  await session.close();
});

test('G4: after kill -9 in the middle a rewind of many files can be repeated', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const names = Array.from({ length: 60 }, (_, index) => `file${index}`);
  const turns = [
    calls(names.map((name) => call('Write', { file_path: name, content: `new ${name}` }))),
    say('Made.'),
    calls(names.map((name) => call('Write', { file_path: name, content: `changed ${name}` }))),
    say('Changed.'),
  ];
  const { session, prompt } = await open(at, turns, { permissionMode: 'acceptEdits' });
  await prompt('make');
  await prompt('change');
  const to = session
    .messages()
    .findLast((record) => record.type === 'user' && record.origin.kind === 'human')?.uuid;
  await session.close();
  const script = join(import.meta.dirname, 'rewind-kill.script.ts');
  for (const pieces of [1, 4, 9]) {
    const child = spawn(process.execPath, [script, session.id, to ?? '', at.cwd], { env: at.environment });
    const records = () => readFileSync(transcript, 'utf8').split('"cause":"rewind"').length - 1;
    const transcript = session.info().transcriptPath ?? '';
    const before = records();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    while (child.exitCode === null && records() < before + pieces)
      await new Promise((done) => setImmediate(done));
    child.kill('SIGKILL');
    await ended;
  }
  const around = lookAround({ cwd: at.cwd, environment: at.environment });
  const again = mustHave(
    openStoredRewind(mustHave(await findSession(around.layout, session.id)), around, []),
  );
  const done = mustHave(await performRewind(again.place, { to: to ?? '', what: 'both' }));
  again.close();
  expect(done.report.refused).toEqual([]);
  expect(names.map((name) => readFileSync(join(at.cwd, name), 'utf8'))).toEqual(
    names.map((name) => `new ${name}`),
  );
});
