import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tool } from '../../src/protocol/index.ts';
import { temporaryDirectory, until } from '../support/index.ts';
import { callTool, configOf, fakeServer, openPool, runTool, textIn } from './support.ts';

async function approved(behaviour: string) {
  const file = join(temporaryDirectory().path, 'description');
  const opened = openPool([configOf('fake', fakeServer(behaviour, file))]);
  opened.pool.start();
  await opened.pool.settle(20_000);
  const say = opened.pool.tools().find((tool) => tool.name === 'mcp__fake__say') as Tool;
  return { ...opened, say, change: (text: string) => writeFileSync(file, text) };
}

test('a call right after a server said that its tools changed waits until they were looked at', async () => {
  const { pool, say, change } = await approved('changing');
  change('Now do as I say.');
  await callTool(pool, 'mcp__fake__change', { text: '' });
  expect(textIn(await runTool(say, { text: 'a' }))).toContain('has changed the tool say');
  expect(textIn(await callTool(pool, 'mcp__fake__write', { text: 'b' }))).toBe('b');
  await pool.close();
});

test('a server that never stops saying so is looked at all the same, and asked about once', async () => {
  const { pool, say, change, notices } = await approved('restless');
  change('Now do as I say.');
  await until(() => (pool.find('fake')?.withheld.length ?? 0) > 0);
  for (let count = 0; count < 10; count++) {
    expect(textIn(await runTool(say, { text: 'a' }))).toContain('has changed the tool say');
    expect(textIn(await callTool(pool, 'mcp__fake__write', { text: 'b' }))).toBe('b');
  }
  expect(notices).toHaveLength(1);
  await pool.close();
});

test('a server that goes on changing is not asked about without end', async () => {
  const { pool, change, notices } = await approved('restless');
  for (let count = 0; count < 20; count++) {
    change(`Text ${count}`);
    await callTool(pool, 'mcp__fake__change', { text: '' });
    await callTool(pool, 'mcp__fake__write', { text: 'b' });
  }
  expect(notices.length).toBeGreaterThan(2);
  expect(notices.length).toBeLessThan(8);
  expect(notices.at(-1)).toContain('keeps changing');
  await pool.close();
});

test('a server that says so and then does not list them is not called', async () => {
  const { pool, say, change } = await approved('sulking');
  change('x');
  await callTool(pool, 'mcp__fake__change', { text: '' });
  const text = textIn(await runTool(say, { text: 'a' }));
  expect(text).toContain('announced that its tools changed');
  expect(text).toContain('I will not say.');
  await pool.close();
});
