import { expect, test } from 'bun:test';
import { environmentOf, newPlace, program } from '../cli/support.ts';
import { until } from '../support/index.ts';

const lightGrey = '38;2;101;109;118';
const darkGrey = '38;2;139;148;158';

test('a terminal with a light background gets the light palette, and is left as it was', async () => {
  const screen = openAnswering('\u001b]11;rgb:ffff/ffff/ffff\u001b\\\u001b[?0u\u001b[?62c');
  await until(() => screen.output().includes(lightGrey));
  screen.type('\u0004');
  expect(await screen.exited).toBe(0);
  const end = screen.output().slice(-400);
  for (const mode of ['\u001b[?2004l', '\u001b[?25h', '\u001b[?1004l', '\u001b[<u'])
    expect(end).toContain(mode);
});

test('a terminal with a dark background keeps the dark palette', async () => {
  const screen = openAnswering('\u001b]11;rgb:0000/0000/0000\u001b\\\u001b[?62c');
  await until(() => screen.output().includes('anthropic/'));
  screen.type('\u0004');
  await screen.exited;
  expect(screen.output()).toContain(darkGrey);
  expect(screen.output()).not.toContain(lightGrey);
});

test('a background that the settings name goes before what the terminal says', async () => {
  const screen = openAnswering('\u001b]11;rgb:0000/0000/0000\u001b\\\u001b[?62c', [
    '--settings',
    '{"terminal":{"theme":"light"}}',
  ]);
  await until(() => screen.output().includes(lightGrey));
  screen.type('\u0004');
  await screen.exited;
});

/** A terminal that answers what it is asked about itself. */
function openAnswering(answer: string, flags: string[] = []) {
  let output = '';
  let isAsked = false;
  const child = Bun.spawn([program, ...flags], {
    cwd: newPlace().cwd,
    env: {
      ...environmentOf({ place: newPlace() }),
      ...{
        TERM: 'xterm-256color',
        COLORTERM: 'truecolor',
        ANTHROPIC_API_KEY: 'a-test-key',
        CADRE_STILL: '1',
      },
    },
    terminal: {
      cols: 100,
      rows: 30,
      data(terminal: { write(text: string): void }, bytes: Uint8Array) {
        output += Buffer.from(bytes).toString();
        if (isAsked || !output.includes('\u001b[c')) return;
        isAsked = true;
        terminal.write(answer);
      },
    },
  });
  const type = (text: string) => void child.terminal?.write(text);
  return { output: () => output, type, exited: child.exited };
}
