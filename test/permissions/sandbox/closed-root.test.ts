import { expect } from 'bun:test';
import { needs } from '../../support/index.ts';
import { asUser } from './as-user.ts';
import type { closeWorkspace } from './closed-root-inside.ts';

const test = needs('bwrap');

test('a user without rights finds no stand-ins in a workspace that a command closed', async () => {
  const seen = await asUser<Awaited<ReturnType<typeof closeWorkspace>>>(
    './closed-root-inside.ts',
    'closeWorkspace',
  );
  expect(seen.map(({ names }) => names)).toEqual([['x'], ['x'], ['x']]);
  // The workspace itself may be closed: that is what the command was for.
  expect(seen[0]?.mode).toBe(0o500);
});
