import { expect, test } from 'bun:test';
import { exploreRole } from '../../src/permissions/roles.ts';
import { type Case, judge, shell } from './cases.ts';

const reading = [
  'cat < /dev/tcp/127.0.0.1/80',
  'cat </dev/udp/127.0.0.1/53',
  'wc -l < /dev//tcp/127.0.0.1/80',
  'p=/dev/tcp; cat < $p/127.0.0.1/80',
  'cat < /dev/tcp/*/80',
  'awk 1 /inet/tcp/0/127.0.0.1/80',
  'awk 1 a.txt /inet4/udp/0/127.0.0.1/80',
  'awk 1 < /inet6/tcp/0/localhost/80',
  "sh -c 'cat < /dev/tcp/127.0.0.1/80'",
  'while read -r l; do echo "$l"; done < /dev/tcp/127.0.0.1/80',
];

const sending = ['cat a.txt > /dev/tcp/127.0.0.1/80', 'echo x >> /dev/udp/127.0.0.1/53'];

const of = (command: string, more: Partial<Case>) => judge({ accesses: [shell(command)], ...more }).behaviour;

test('a name that stands for a connection is not a file: no rule about files allows it', () => {
  const files = ['Read', 'Read(//**)', 'Edit', 'Edit(//**)', 'Read(//dev/tcp/**)'];
  for (const line of [...reading, ...sending]) {
    expect([line, of(line, { allow: files })]).toEqual([line, 'ask']);
    expect([line, of(line, { allow: files, mode: 'acceptEdits' })]).toEqual([line, 'ask']);
    expect([line, of(line, { allow: files, mode: 'dontAsk' })]).toEqual([line, 'deny']);
    expect([line, of(line, { allow: files, role: exploreRole })]).toEqual([line, 'deny']);
  }
});

test('a rule for a program is none for a connection that the shell opens', () => {
  const allow = ['Bash(cat:*)', 'Bash(wc:*)', 'Bash(awk:*)', 'Bash(echo:*)', 'Read', 'Edit'];
  for (const line of [...reading, ...sending]) expect([line, of(line, { allow })]).toEqual([line, 'ask']);
  expect(of('cat < /dev/tcp/127.0.0.1/80', { allow: ['Bash'] })).toBe('allow');
  expect(of('cat < /dev/tcp/127.0.0.1/80', { mode: 'bypassPermissions' })).toBe('allow');
});

test('a rule against a host holds for every spelling of a connection to it', () => {
  const lines = [...reading, ...sending].filter((line) => line.includes('127.0.0.1'));
  for (const deny of [['WebFetch(domain:127.0.0.1)'], ['WebFetch(domain:*)']])
    for (const line of lines)
      for (const mode of ['default', 'bypassPermissions'] as const)
        expect([line, mode, deny, of(line, { deny, mode, allow: ['Bash'] })]).toEqual([
          ...[line, mode, deny],
          'deny',
        ]);
  const other = ['WebFetch(domain:127.0.0.1:81)'];
  expect(of('cat < /dev/tcp/127.0.0.1/80', { deny: other, mode: 'bypassPermissions' })).toBe('allow');
  expect(of('cat < /dev/tcp/127.0.0.1/81', { deny: other, mode: 'bypassPermissions' })).toBe('deny');
  expect(of('awk 1 /inet/tcp/0/127.0.0.1/81', { deny: other, mode: 'bypassPermissions' })).toBe('deny');
  expect(of('cat < /dev/tcp/127.0.0.1/http', { deny: other, mode: 'bypassPermissions' })).toBe('deny');
});

test('other devices, and words that are only printed, are no connections', () => {
  for (const line of ['cat a.txt > /dev/null', 'echo /dev/tcp/x/80', 'grep -n /inet/tcp a.txt'])
    expect([line, of(line, {})]).toEqual([line, 'allow']);
});
