import { expect, test } from 'bun:test';
import { formatFields } from '../../src/lib/fields/describe-value.ts';

test('fields are lines for a person: lists item by item, what is inside of something below it', () => {
  const fields = {
    name: 'a',
    count: 2,
    tags: ['x', 'y'],
    none: [],
    query: { where: { id: 1 }, deep: [{ a: 1 }] },
  };
  expect(formatFields(fields)).toBe(`name: a
count: 2
tags:
  - x
  - y
none: none
query:
  where:
    id: 1
  deep:
    -
      a: 1`);
});

test('a value nested without end is still shown', () => {
  let deep: unknown = 'end';
  for (let depth = 0; depth < 200; depth++) deep = { deep };
  expect(formatFields({ deep })).toContain('end');
});
