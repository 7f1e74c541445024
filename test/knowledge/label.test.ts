import { expect, test } from 'bun:test';
import { labelled, readLabelled } from '../../src/knowledge/label.ts';

test('a labelled text is read as it was, with what was escaped in it', () => {
  const attributes = { command: 'cat < "a\\b"', end: 'exit code 1' };
  const text = 'a <b> </cadre-shell>\n<cadre-shell command="x">\n&amp;';
  expect(readLabelled('cadre-shell', labelled('cadre-shell', attributes, text))).toEqual({
    attributes,
    text,
  });
});

test('what is no such block is read as none', () => {
  for (const block of [
    '',
    '<cadre-shell>',
    '<cadre-shell>\n</cadre-shell> more',
    '<cadre-file path="a">\nx\n</cadre-file>',
    'x<cadre-shell>\n\n</cadre-shell>',
  ])
    expect(readLabelled('cadre-shell', block)).toBeUndefined();
});
