import { expect, test } from 'bun:test';
import { PassThrough } from 'node:stream';
import { render } from 'ink';
import { createElement } from 'react';
import { Block, screenOptions } from '../../src/tui/screens.tsx';

/** A terminal that nobody looks at, and the end of what was written to it. */
function openScreen(): { stdout: NodeJS.WriteStream; written(): string } {
  let text = '';
  const stdout = new PassThrough();
  stdout.on('data', (chunk: Buffer) => (text = (text + chunk).slice(-20_000)));
  Object.assign(stdout, { isTTY: true, columns: 100, rows: 50 });
  return { stdout: stdout as unknown as NodeJS.WriteStream, written: () => text };
}

/** Lines that differ from those of the frame before in their first letter are written whole. */
const frameOf = (number: number) =>
  Array.from({ length: 40 }, (_, line) => `${'ab'[number % 2]}${number}.${line} ${'word '.repeat(18)}`).join(
    '\n',
  );

test('screens that were drawn are not kept', async () => {
  const { stdout, written } = openScreen();
  const options = { ...screenOptions, stdout, patchConsole: false, maxFps: 10_000 };
  const drawn = render(createElement(Block, { text: frameOf(0) }), options);
  const draw = async (from: number, to: number) => {
    for (let number = from; number < to; number++) {
      drawn.rerender(createElement(Block, { text: frameOf(number) }));
      await drawn.waitUntilRenderFlush();
    }
    Bun.gc(true);
    return process.memoryUsage().heapUsed;
  };
  const before = await draw(1, 200);
  const after = await draw(200, 800);
  const last = written();
  drawn.unmount();
  expect(last.includes('b799.39')).toBe(true);
  // Six hundred of four kilobytes each are more than two megabytes.
  expect(after - before).toBeLessThan(1_000_000);
});
