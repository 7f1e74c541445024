import { expect, test } from 'bun:test';
import { parseKnownRule } from '../../src/settings/known-tools.ts';
import { call, say } from '../../src/testing/index.ts';
import { repository } from '../session/repository.ts';
import { open } from '../session/support.ts';

const place = { behaviour: 'deny', layer: 'user', source: 'settings.json', base: '/' } as const;

test.each([
  ['Raed(README.md)', 'Read'],
  ['bash(cat:*)', 'Bash'],
  ['read(x)', 'Read'],
  ['Bsah', 'Bash'],
  ['webfetch(domain:x.com)', 'WebFetch'],
])('a rule about %s is refused, and %s is named', (text, meant) => {
  for (const behaviour of ['allow', 'ask', 'deny'] as const) {
    const read = parseKnownRule(text, { ...place, behaviour });
    expect(read).toMatchObject({
      ok: false,
      problem: {
        message: expect.stringContaining(
          `settings.json: permission rule "${text}" (${behaviour}): unknown tool`,
        ),
        hint: expect.stringContaining(`Did you mean ${meant}?`),
      },
    });
  }
});

test('a rule about a name that resembles no tool is refused with the tools there are', () => {
  expect(parseKnownRule('Zebra(secret)', place)).toMatchObject({
    ok: false,
    problem: { hint: expect.stringContaining('Bash, ') },
  });
  expect(parseKnownRule('Zap*', place).ok).toBe(false);
});

test.each([
  'Read',
  'Task',
  'mcp__docs',
  'mcp__docs__*',
  'Web*',
  '*',
  'PowerShell',
  'CronCreate',
  'Cd(src)',
  'Land',
])('a rule about %s is read', (text) => {
  expect(parseKnownRule(text, place).ok).toBe(true);
});

test('a file of Claude Code may allow a tool that is newer, not deny one', () => {
  const source = '/home/me/.claude/settings.json';
  expect(parseKnownRule('HologramMaker', { ...place, source, behaviour: 'allow' }).ok).toBe(true);
  expect(parseKnownRule('Bsah', { ...place, source, behaviour: 'allow' }).ok).toBe(false);
  expect(parseKnownRule('HologramMaker', { ...place, source }).ok).toBe(false);
});

test('a rule about a tool that was merged into another is about that one', () => {
  expect(parseKnownRule('MultiEdit(secret)', place)).toMatchObject({
    value: { tool: 'Edit', specifier: 'secret' },
  });
  expect(parseKnownRule('NotebookRead(a)', place)).toMatchObject({ value: { tool: 'Read' } });
});

test("a rule may name a tool of the program's own", () => {
  expect(parseKnownRule('Deploy', { ...place, others: ['Deploy'] }).ok).toBe(true);
  expect(parseKnownRule('Deploy', { ...place, others: 'unnamed' }).ok).toBe(true);
  expect(parseKnownRule('Deploy', place).ok).toBe(false);
});

test('every tool of a session is known to rules', async () => {
  const { session } = await open(repository(), [call('Read', { file_path: 'x' }), say('Ok.')]);
  const { tools } = session.info();
  await session.close();
  expect(tools.length).toBeGreaterThan(10);
  expect(tools.filter((name) => !parseKnownRule(name, place).ok)).toEqual([]);
});
