import { describe, expect, test } from 'bun:test';
import { findMentions } from '../../../src/knowledge/mentions.ts';
import {
  complete,
  createEditor,
  emptyEditor,
  findCompletion,
  inputMode,
} from '../../../src/tui/editor/index.ts';
import { at, marked } from './support.ts';

const empty = emptyEditor();

test.each([
  ['a file', 'see @src/a|', { kind: 'file', query: 'src/a', start: 4, end: 10 }],
  ['an @ alone', '@|', { kind: 'file', query: '', start: 0, end: 1 }],
  ['in the middle of a name', 'x @sr|c y', { kind: 'file', query: 'sr', start: 2, end: 6 }],
  ['a quoted name', '@"my fi|', { kind: 'file', query: 'my fi', start: 0, end: 7 }],
  ['a quoted name with its end', '@"my fi|le" x', { kind: 'file', query: 'my fi', start: 0, end: 10 }],
  ['an agent', '@agent-ex|', { kind: 'agent', query: 'ex', start: 0, end: 9 }],
  ['in a bracket', '(@a|', { kind: 'file', query: 'a', start: 1, end: 3 }],
  ['a command', '/he|', { kind: 'command', query: 'he', start: 0, end: 3 }],
] as const)('%s is completed', (_, text, completion) => {
  expect(findCompletion(at(empty, text))).toEqual(completion);
});

test.each([
  ['an address of mail', 'a@b|'],
  ['text', 'abc|'],
  ['after a blank', '@a |'],
  ['the arguments of a command', '/help a|'],
  ['a slash later on', 'a /he|'],
  ['a path', '/usr/bin|'],
  ['a shell command', '!cat @a|'],
])('%s is not', (_, text) => {
  expect(findCompletion(at(empty, text)).kind).toBe('none');
});

describe('choosing', () => {
  const choose = (text: string, value: string, kind?: 'agent') =>
    marked(complete(at(empty, text), findCompletion(at(empty, text)), value, kind));

  test.each([
    ['a file, with a blank after it', 'see @sr|', 'src/a.ts', 'see @src/a.ts |'],
    ['a file before a blank that is there', 'see @sr| now', 'src/a.ts', 'see @src/a.ts |now'],
    ['a directory, to go on in', '@s|', 'src/', '@src/|'],
    ['a name with blanks, in quotes', '@m|', 'my file.txt', '@"my file.txt" |'],
    ['a directory with blanks, still open', '@m|', 'my files/', '@"my files/|'],
    ['an agent', '@agent-e|', 'explore', '@agent-explore |'],
    ['a command', '/he|', 'help', '/help |'],
  ])('%s', (_, text, value, result) => {
    expect(choose(text, value)).toBe(result);
  });

  test('an agent where a file could be too', () => {
    expect(choose('@ex|', 'explore', 'agent')).toBe('@agent-explore |');
    expect(choose('@ex|', 'my agent', 'agent')).toBe('@"my agent (agent)" |');
  });
});

test.each([
  ['!ls', 'shell'],
  ['/help me', 'command'],
  ['/', 'command'],
  ['/usr/bin is a path', 'prompt'],
  ['hello /help', 'prompt'],
  ['', 'prompt'],
] as const)('%j is for the %s', (text, mode) => {
  expect(inputMode(createEditor(text))).toBe(mode);
});

test('mentions end before the sentence does', () => {
  const names = (text: string) => findMentions(text).map(({ kind, name }) => `${kind} ${name}`);
  expect(names('See @src/a.ts, (@b.md) and @"my file.txt".')).toEqual([
    'file src/a.ts',
    'file b.md',
    'file my file.txt',
  ]);
  expect(names('@agent-explore and @"code review (agent)"')).toEqual(['agent explore', 'agent code review']);
  expect(names('mail a@b.org, @ alone, @')).toEqual([]);
});
