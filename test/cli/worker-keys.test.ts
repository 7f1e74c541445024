import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cadre, newPlace } from './support.ts';

test('no agent decides whose jobs the workers of its user accept', async () => {
  const place = newPlace();
  // What another user's machine printed.
  const { out } = await cadre(['worker', 'key'], { place: newPlace() });
  const trust = (env = {}) => cadre(['worker', 'trust', out.trim()], { place, env });
  expect(await trust({ CADRE_OWNER: 'some-session' })).toMatchObject({
    code: 2,
    err: expect.stringContaining('An agent cannot decide whose jobs are accepted'),
  });
  expect(existsSync(join(place.home, 'remote/known-keys'))).toBe(false);
  expect(await trust()).toMatchObject({ code: 0 });
  expect(existsSync(join(place.home, 'remote/known-keys'))).toBe(true);
});
