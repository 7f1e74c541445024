import { expect, test } from 'bun:test';
import { join } from 'node:path';

test('a program that fails gives the terminal back: main screen, cursor, plain pastes', async () => {
  let output = '';
  const child = Bun.spawn([process.execPath, join(import.meta.dirname, 'crash.script.ts')], {
    terminal: {
      cols: 80,
      rows: 24,
      data(_: unknown, bytes: Uint8Array) {
        output += Buffer.from(bytes).toString();
      },
    },
  });
  expect(await child.exited).not.toBe(0);
  while (!output.includes('broken')) await Bun.sleep(10);
  expect(output).toContain('\u001b[?1049h');
  expect(output).toContain('\u001b[?1049l\u001b[?2004l\u001b[?25h');
});
