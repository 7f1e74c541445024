import { expect, test } from 'bun:test';
import { labelled, readLabelled } from '../../src/knowledge/label.ts';

test('a labelled text is read as it was, with what was escaped in it', () => {
  const attributes = { command: 'cat < "a\\b"', end: 'exit code 1' };
  const text = 'a <b> </shell>\n<shell command="x">\n&amp;';
  expect(readLabelled('shell', labelled('shell', attributes, text))).toEqual({ attributes, text });
});

test('what is no such block is read as none', () => {
  for (const block of [
    '',
    '<shell>',
    '<shell>\n</shell> more',
    '<file path="a">\nx\n</file>',
    'x<shell>\n\n</shell>',
  ])
    expect(readLabelled('shell', block)).toBeUndefined();
});
