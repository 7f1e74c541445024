import { expect, test } from 'bun:test';
import { asUser } from './as-user.ts';

test('a directory that lists its names and shows nothing of them does not end the survey', async () => {
  const found = await asUser<{ directories: number; shared: number }>('survey-inside.ts', 'surveyClosed');
  expect(found).toEqual({ directories: 2, shared: 0 });
});
