import { expect, test } from 'bun:test';
import { isSameValue } from '../../src/lib/fields/same-value.ts';

test.each([
  [
    { a: 1, b: [{ c: 2, d: null }] },
    { b: [{ d: null, c: 2 }], a: 1 },
  ],
  [{ a: 1, b: undefined }, { a: 1 }],
  [undefined, undefined],
])('%j and %j are the same value', (one, other) => {
  expect(isSameValue(one, other)).toBe(true);
});

test.each([
  [{ a: [1, 2] }, { a: [2, 1] }],
  [{ a: 1 }, [['a', 1]]],
  [{ a: null }, {}],
  [{ a: '1' }, { a: 1 }],
  [{}, []],
  [{ a: { b: 1 } }, { a: { fields: [['b', 1]] } }],
])('%j and %j are not', (one, other) => {
  expect(isSameValue(one, other)).toBe(false);
});
