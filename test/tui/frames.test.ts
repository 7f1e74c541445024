import { expect, test } from 'bun:test';
import { openTestScreen } from './test-screen.ts';

/** Forty lines of four kilobytes together, none of them as in another frame. */
const drawFrame = (number: number) =>
  Array.from({ length: 40 }, (_, line) => `${number}.${line} ${'word '.repeat(18)}`);

test('screens that were drawn are not kept', () => {
  const { screen, written } = openTestScreen({ columns: 100, rows: 50 });
  const draw = (from: number, to: number) => {
    for (let number = from; number < to; number++) screen.draw({ lines: drawFrame(number) });
    Bun.gc(true);
    return process.memoryUsage().heapUsed;
  };
  const before = draw(1, 200);
  const after = draw(200, 800);
  expect(written()).toContain('799.39');
  // Six hundred of four kilobytes each are more than two megabytes.
  expect(after - before).toBeLessThan(1_000_000);
});
