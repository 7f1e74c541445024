import { expect } from 'bun:test';
import { needs } from '../../support/index.ts';
import { asUser } from './as-user.ts';
import type { openClosed } from './unread-inside.ts';

const test = needs('bwrap');

test('what is in a directory that its owner closed is out of reach of a command that opens it', async () => {
  const seen = await asUser<Awaited<ReturnType<typeof openClosed>>>('./unread-inside.ts', 'openClosed');
  expect(seen.length).toBe(5);
  for (const { mode, tasks, hasNew } of seen)
    expect({ mode, tasks, hasNew }).toEqual({ mode, tasks: 'mine', hasNew: false });
});

test('a directory that cannot be read is not an empty one, and is looked at again', async () => {
  const seen = await asUser('./unread-inside.ts', 'useUpDescriptors');
  expect(seen).toEqual({ names: [true, true], missing: [], isWhole: false, unread: 1, met: 0 });
});
