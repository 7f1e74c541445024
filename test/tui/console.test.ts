import { expect, test } from 'bun:test';
import { divertConsole } from '../../src/tui/console.ts';

test('what a library writes on the console is told, until the console is given back', () => {
  const told: string[] = [];
  const { warn } = console;
  const restore = divertConsole((text) => told.push(text));
  console.warn('careful: %d of %s', 3, 'four', { five: 6 });
  restore();
  expect(told).toEqual(['careful: 3 of four { five: 6 }']);
  expect(console.warn).toBe(warn);
});
