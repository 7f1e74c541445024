import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { setStage } from '../../src/commands/demo/stage.ts';
import { openSession } from '../../src/session/open.ts';
import { cadre, environmentOf, newPlace } from '../cli/support.ts';
import { recordDemo } from '../tui/tapes.ts';

test('a message to an agent, a stop and a prompt behind background work come again from the tape', async () => {
  const place = newPlace();
  const tape = join(place.cwd, 'demo.tape');
  const { repository } = await recordDemo(place.userHome, place, tape);
  const played = await cadre(['-p', '--replay', tape], { place: { ...place, cwd: repository } });
  expect(played.err).not.toContain('differs');
  expect(played.code).toBe(0);
  expect(played.out).toContain('The demo ends here');
});

test('an agent that the lead stops with TaskStop is stopped in the replay', async () => {
  const place = newPlace();
  const tape = join(place.cwd, 'demo.tape');
  const stage = await setStage(place.userHome, environmentOf({ place }));
  if (!stage.ok) throw new Error(stage.problem.message);
  const { options, prompt, repository } = stage.value;
  const opened = await openSession({ ...options, onQuestion: stage.value.answer, record: tape });
  if (!opened.ok) throw new Error(opened.problem.message);
  opened.value.send({ type: 'prompt', content: prompt });
  await opened.value.finished(new AbortController().signal);
  await opened.value.close();
  const played = await cadre(['-p', '--replay', tape], { place: { ...place, cwd: repository } });
  expect(played.err).not.toContain('differs');
  expect(played.code).toBe(0);
  expect(played.out).toContain('its owner fixed it.');
});
