import { describe, expect, test } from 'bun:test';
import { findRepeatedKey, parseJson } from '../../src/settings/json.ts';

describe('parseJson', () => {
  const faults: [string, number, number, string][] = [
    ['{"a": 1,}', 1, 9, 'a key in double quotes'],
    ['{\n  "a": tru\n}', 2, 8, 'a value'],
    ['{\n  "a" 1\n}', 2, 7, '":" after the key'],
    ['{"a": [1 2]}', 1, 10, '"," or "]"'],
    ['{"a": "b', 1, 9, 'the end of the string'],
    ['{"a": "b\nc"}', 1, 9, 'the end of the string'],
    ['{} x', 1, 4, 'the end of the file'],
    ['{\n// hello\n}', 2, 1, 'no comment'],
    ['{"a": 1 /* x */}', 1, 9, 'no comment'],
    ['{"a": 01}', 1, 8, '"," or "}"'],
    ['', 1, 1, 'a value'],
  ];
  for (const [text, line, column, expected] of faults)
    test(`finds where ${JSON.stringify(text)} goes wrong`, () => {
      const parsed = parseJson(text);
      expect(parsed.ok).toBe(false);
      if (parsed.ok) return;
      expect([parsed.problem.line, parsed.problem.column]).toEqual([line, column]);
      expect(parsed.problem.expected).toContain(expected);
    });

  test('tolerates a byte order mark', () => {
    expect(parseJson('\uFEFF{"a":1}')).toEqual({ ok: true, value: { a: 1 } });
  });

  test('deep nesting is refused, not overflowed', () => {
    const parsed = parseJson('['.repeat(300_000));
    expect(parsed.ok).toBe(false);
  });
});

describe('findRepeatedKey', () => {
  test.each<[string, string, number, number]>([
    ['{"a": 1,\n "a": 2}', 'a', 2, 2],
    ['{"permissions": {"deny": ["Bash"], "deny": []}}', 'permissions.deny', 1, 36],
    ['{"a": [{"b": 1, "\\u0062": 2}]}', 'a.b', 1, 17],
  ])('finds the second in %s', (text, key, line, column) => {
    expect(findRepeatedKey(text)).toEqual({ key, line, column });
  });

  test('the same key in two objects is not repeated', () => {
    expect(findRepeatedKey('\uFEFF{"a": {"b": 1}, "b": [{"a": 1}, {"a": 2}]}')).toBeUndefined();
  });
});
