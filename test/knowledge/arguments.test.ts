import { describe, expect, test } from 'bun:test';
import { fillCommand, fillText, splitArguments } from '../../src/knowledge/arguments.ts';

describe('words', () => {
  const cases: [string, string[]][] = [
    ['a b  c', ['a', 'b', 'c']],
    ['"a b" \'c d\' e', ['a b', 'c d', 'e']],
    ['"a \\"b\\"" c', ['a "b"', 'c']],
    ['"open end', ['"open', 'end']],
    ["don't", ["don't"]],
    ['', []],
  ];
  for (const [text, words] of cases)
    test(JSON.stringify(text), () => expect(splitArguments(text).words).toEqual(words));
});

describe('in a text', () => {
  const cases: [string, string[], string, string, boolean][] = [
    ['Fix $ARGUMENTS now', [], 'a b', 'Fix a b now', true],
    ['$0 then $1', [], 'a b', 'a then b', true],
    ['$ARGUMENTS[1] and $ARGUMENTS[7].', [], 'a b', 'b and .', true],
    ['on $branch for $issue', ['issue', 'branch'], '7 main', 'on main for 7', true],
    ['costs $5, $1.50 or $HOME', [], 'x', 'costs $5, $1.50 or $HOME', false],
    ['\\$ARGUMENTS \\$0', [], 'x', '$ARGUMENTS $0', false],
    ['[$0]', [], '$1 $0', '[$1]', true],
    ['[$ARGUMENTS]', [], '$ARGUMENTS', '[$ARGUMENTS]', true],
  ];
  for (const [text, names, given, filled, took] of cases)
    test(`${text} with ${given}`, () =>
      expect(fillText(text, names, splitArguments(given))).toEqual({ text: filled, took }));
});

describe('in a command', () => {
  test('a plain argument is part of the text that is judged', () => {
    expect(fillCommand('gh issue view $0', [], splitArguments('42'))).toEqual({
      command: 'gh issue view 42',
      took: true,
      variables: {},
    });
  });

  for (const hostile of [
    'x; rm -rf ~',
    '$(id)',
    '`id`',
    'a\nb',
    '"; id; "',
    "'; id; '",
    '| sh',
    '~root',
    '*',
  ])
    test(`${JSON.stringify(hostile)} stays a variable's value, whatever is around it`, () => {
      for (const [open, close] of [
        ['', ''],
        ['"', '"'],
        ['"$(echo "', '")"'],
      ]) {
        const filled = fillCommand(`echo ${open}$ARGUMENTS${close}`, [], splitArguments(hostile));
        expect(filled.command).toBe(`echo ${open}\${ARGUMENTS}${close}`);
        expect(filled.variables).toEqual({ ARGUMENTS: hostile });
      }
    });

  test("awk's own fields stay where there are no such arguments", () => {
    expect(fillCommand("awk '{print $2}'", [], splitArguments('x')).command).toBe("awk '{print $2}'");
  });
});
