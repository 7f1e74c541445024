import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { say, scriptedModel } from '../../src/testing/index.ts';
import { place as emptyPlace, type Place } from './support.ts';

function newPlace(): Place {
  const at = emptyPlace();
  mkdirSync(at.cwd);
  return at;
}

async function openWithLevels(at: Place, options: SessionOptions = {}) {
  const model = scriptedModel([say('One.'), say('Two.')], {
    facts: { efforts: ['low', 'high'], thinking: ['off', 'adaptive'] },
  });
  const opened = await openSession({
    ...{ cwd: at.cwd, environment: at.environment, model, sandbox: false, ...options },
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  return { session: opened.value, model };
}

test('the effort that the user chooses is in the requests from then on, and after a resume', async () => {
  const at = newPlace();
  const first = await openWithLevels(at);
  await first.session.run('Hi');
  expect(first.session.send({ type: 'set_effort', effort: 'high' })).toMatchObject({ ok: true });
  await first.session.run('Again');
  expect(first.model.requests.map(({ effort }) => effort)).toEqual([undefined, 'high']);
  await first.session.close();
  const second = await openWithLevels(at, { resume: { from: 'latest' } });
  expect(second.session.info().effort).toEqual({ chosen: 'high', levels: ['low', 'high'] });
  await second.session.close();
});

test('a level that the model does not take is refused, with those that it takes', async () => {
  const { session } = await openWithLevels(newPlace());
  const sent = session.send({ type: 'set_effort', effort: 'max' });
  expect(sent).toMatchObject({ ok: false, problem: { hint: 'It takes low, high.' } });
  await session.close();
});
