import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import type { Tool } from '../../src/protocol/index.ts';
import { TeamMemory } from '../../src/team/memory.ts';
import { guardMemory } from '../../src/team/memory-guard.ts';
import { editTool } from '../../src/tools/files/edit.ts';
import { writeTool } from '../../src/tools/files/write.ts';
import { call, toolContextForTests } from '../tools/support.ts';
import { need } from './board-support.ts';

const token = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'}`;

function ground() {
  const context = toolContextForTests();
  const directory = join(context.directory.current, 'memory');
  mkdirSync(directory);
  const leases = join(context.directory.current, 'leases');
  const memory = new TeamMemory({ directory, leases, machine: systemMachine, clock: manualClock() });
  const write = guardMemory(writeTool as Tool, () => memory);
  const edit = guardMemory(editTool as Tool, () => memory);
  return { context, memory, write, edit };
}

test('TM7 Write and Edit in the memory of a team work as elsewhere', async () => {
  const { context, memory, write, edit } = ground();
  await call(write, { file_path: 'memory/ports.md', content: 'API: 8080\n' }, context);
  await call(edit, { file_path: 'memory/ports.md', old_string: '8080', new_string: '9090' }, context);
  expect(readFileSync(join(memory.directory, 'ports.md'), 'utf8')).toBe('API: 9090\n');
});

test('TM7 a secret is not written to the memory of a team; elsewhere it is', async () => {
  const { context, memory, write, edit } = ground();
  const refused = await call(write, { file_path: 'memory/a.md', content: token }, context);
  expect(refused).toMatchObject({ isError: true });
  expect(refused.text).toContain('a.md was not written: it contains a secret');
  await call(write, { file_path: 'memory/b.md', content: 'token: soon\n' }, context);
  const edited = await call(
    edit,
    { file_path: 'memory/b.md', old_string: 'soon', new_string: token },
    context,
  );
  expect(edited.isError).toBe(true);
  expect(readFileSync(join(memory.directory, 'b.md'), 'utf8')).toBe('token: soon\n');
  await call(write, { file_path: 'elsewhere.md', content: token }, context);
  expect(readFileSync(join(context.directory.current, 'elsewhere.md'), 'utf8')).toBe(token);
});

test('TM7 a file that another member writes right now is refused, and so is a directory below', async () => {
  const { context, memory, write } = ground();
  const release = need(memory.hold('plan.md'));
  const held = await call(write, { file_path: 'memory/plan.md', content: 'x' }, context);
  expect(held.text).toContain('plan.md is being written by another member. Read it again, then try again.');
  release();
  expect(await call(write, { file_path: 'memory/plan.md', content: 'x' }, context)).toMatchObject({
    isError: false,
  });
  const below = await call(write, { file_path: 'memory/sub/a.md', content: 'x' }, context);
  expect(below.text).toContain("cannot be a file of the team's memory");
  expect(existsSync(join(memory.directory, 'sub'))).toBe(false);
});
