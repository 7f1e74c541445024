import { expect, test } from 'bun:test';
import { parseShell } from '../../src/shell/grammar/parse.ts';
import type { SimpleCommand } from '../../src/shell/grammar/types.ts';
import { judge, shell } from './cases.ts';

const parse = (line: string) => parseShell(line, { cwd: '/repo', home: '/home/me' });
const numbered = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join('');
const tooLong = ['it is too long to judge'];

/** All texts that are kept of a line, counted in characters. */
function countText(commands: readonly SimpleCommand[]): number {
  let count = 0;
  for (const { words, inner } of commands) {
    for (const { text, values = [] } of words)
      count += text.length + values.reduce((sum, value) => sum + value.text.length, 0);
    count += countText(inner);
  }
  return count;
}

test('values that double each other are computed from 64 KB on', () => {
  const line = `v0=a; ${numbered(26, (index) => `v${index + 1}=$v${index}$v${index}; `)}`;
  for (const size of [17, 22, 26]) {
    const { commands } = parse(`${line}cat $v${size}`);
    expect(commands.at(-1)?.words[1]?.values).toBeUndefined();
    expect(countText(commands)).toBeLessThan(1_000_000);
  }
  expect(parse(`${line}cat $v16`).commands.at(-1)?.words[1]?.values?.[0]?.text.length).toBe(65_536);
  expect(parse(`${line}${'cat $v16; '.repeat(100)}`).problems).toEqual(tooLong);
});

test('names of a search that double each other name its places once', () => {
  const line = `v0=$(find . -name a); ${numbered(40, (index) => `v${index + 1}=$v${index}-$v${index}; `)}cat $v40`;
  const [word] = parse(line).commands.at(-1)?.words.slice(1) ?? [];
  const places = [...(word?.pieces ?? []), ...(word?.values ?? []).flatMap(({ pieces }) => pieces ?? [])];
  expect(places.flatMap(({ from }) => from).length).toBeLessThan(100);
});

test.each([
  ['xargs', `ls | ${'xargs '.repeat(60)}echo`],
  ['env', `${'env '.repeat(60)}ls`],
  ['timeout', `${'timeout 1 '.repeat(60)}ls`],
  ['nice', `${'nice '.repeat(60)}ls`],
  ['find', `${'find . -exec '.repeat(60)}ls`],
])('a command that runs through more than 50 %s is not read', (_name, line) => {
  expect(parse(line).isUnread).toBe(true);
  expect(judge({ accesses: [shell(line)] }).behaviour).toBe('ask');
});

test('a line that runs a command through too many others says so', () => {
  expect(parse(`${'nice '.repeat(60)}ls`).problems).toEqual([
    'it runs a command through more than 50 others',
  ]);
});

const long: readonly (readonly [name: string, line: string])[] = [
  ['cd', 'cd sub; '.repeat(4000)],
  ['or', 'cd sub || cd .. ;'.repeat(3000)],
  ['env', `${'env '.repeat(15_000)}ls`],
  ['timeout', `${'timeout 1 '.repeat(6000)}ls`],
  ['xargs', `ls | ${'xargs '.repeat(2400)}echo`],
  ['operands', `mv ${numbered(9000, (index) => `f${index} `)}sub`],
  ['moves', numbered(3000, (index) => `mv f${index} g${index}; `)],
  ['redirections', `ls ${numbered(3000, (index) => `> f${index} `)}`],
  ['groups', numbered(3000, (index) => `{ ls; } > f${index}; `)],
  ['assignments', numbered(3000, (index) => `v${index}=a; `)],
  ['scripts', 'bash -c "ls; ls; ls; ls"; '.repeat(1500)],
  ['patterns', 'for i in *; do :; done; '.repeat(1500)],
];

test.each(long)('a line of many parts is asked about, and little of it is kept: %s', (_name, line) => {
  expect(line.length).toBeLessThan(64 * 1024);
  expect(parse(line)).toMatchObject({ isUnread: true, commands: [], problems: tooLong });
  for (const rules of [{}, { allow: ['Bash(ls:*)', 'Bash(mv:*)'] }])
    expect(judge({ accesses: [shell(line)], ...rules }).behaviour).toBe('ask');
  expect(
    judge({ accesses: [shell(line)], mode: 'bypassPermissions', deny: ['Bash(curl:*)'] }).behaviour,
  ).toBe('ask');
  expect(judge({ accesses: [shell(line)], mode: 'dontAsk' }).behaviour).toBe('deny');
});

test('a line of some hundred commands, or of a thousand words, is read', () => {
  for (const line of [
    'ls sub; '.repeat(300),
    `cat ${numbered(1500, (index) => `f${index} `)}`,
    `${'nice '.repeat(50)}ls`,
    `echo '${'a'.repeat(60_000)}'`,
  ])
    expect([line.slice(0, 20), judge({ accesses: [shell(line)] }).behaviour]).toEqual([
      line.slice(0, 20),
      'allow',
    ]);
});

test('a reason is about a thousand characters long at most', () => {
  for (const line of [
    `cat /etc/${'a'.repeat(50_000)}`,
    `touch ${'b/'.repeat(20_000)}`,
    `${'c'.repeat(30_000)} x`,
  ])
    for (const mode of ['default', 'dontAsk'] as const) {
      const { reason } = judge({ accesses: [shell(line)], mode });
      expect(reason.length).toBeLessThanOrEqual(1100);
    }
});

test.each([
  ['Bash(rm:*)', 'rm x'],
  ['Read(.env)', 'cat .env'],
  ['Edit(src/**)', 'touch src/a'],
  ['WebFetch(domain:evil.example)', 'curl https://evil.example'],
])('the deny rule %s is not passed by a line that is too long to judge', (rule, command) => {
  const line = `${'echo a; '.repeat(600)}${command}`;
  expect(judge({ accesses: [shell(line)], mode: 'bypassPermissions', deny: [rule] }).behaviour).toBe('ask');
});
