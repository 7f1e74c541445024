import { expect } from 'bun:test';
import { say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { gone, type Screen, seen, settled, widestLine, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

/** What stands in the prompt, `|` for the cursor. */
function prompt({ visible, column }: Screen): string {
  const text = /^❯ (.*)$/m.exec(visible())?.[1] ?? '';
  const at = column() - 2;
  const typed = text.startsWith('Ask for something') ? '' : text;
  // Blanks at the end are not on the screen.
  return `${typed.padEnd(at).slice(0, at)}|${typed.slice(at).trimEnd()}`;
}

async function shows(screen: Screen, keys: string, text: string): Promise<void> {
  for (let tries = 0; tries < 100 && prompt(screen) !== text; tries++) await Bun.sleep(20);
  expect([keys, prompt(screen)]).toEqual([keys, text]);
}

/** Keys as tmux names them. */
const steps: [keys: string, text: string][] = [
  ['C-a', '|one two three'],
  ['C-e', 'one two three|'],
  ['M-b', 'one two |three'],
  ['C-b', 'one two| three'],
  ['C-f', 'one two |three'],
  ['M-b', 'one |two three'],
  ['M-f', 'one two| three'],
  ['Home', '|one two three'],
  ['M-d', '| two three'],
  ['C-_', '|one two three'],
  ['End', 'one two three|'],
  ['C-w', 'one two |'],
  ['C-y', 'one two three|'],
  ['C-Left', 'one two |three'],
  ['C-k', 'one two |'],
  ['C-u', '|'],
  ['C-y', 'one two three|'],
  ['M-BSpace', 'one two |'],
  ['C-Left', 'one |two'],
  ['C-Delete', 'one |'],
  ['C-_', 'one |two'],
  ['Delete', 'one |wo'],
  ['C-h', 'one|wo'],
];

tmuxTest('the keys that everybody knows from a shell move, cut, put back and undo', () =>
  withScreen([], async (screen) => {
    await seen(screen, 'anthropic/');
    screen.type('one two three');
    await shows(screen, 'typed', 'one two three|');
    for (const [keys, text] of steps) {
      screen.press(keys);
      await shows(screen, keys, text);
    }
  }),
);

tmuxTest('up and down stay in a draft of several lines, and in the rows of a long one', () =>
  withScreen(
    [],
    async (screen) => {
      await seen(screen, 'claude');
      screen.type('first');
      screen.press('C-j');
      screen.type(`second ${'word '.repeat(20)}end`);
      await seen(screen, /\bend$/m);
      screen.press('Up', 'Up', 'Up');
      await settled(screen);
      screen.type('HERE');
      await seen(screen, 'HERE');
      expect(screen.visible()).toContain('secHEREond');
      screen.press('Up', 'Home');
      screen.type('0 ');
      await seen(screen, '❯ 0 first');
      expect(widestLine(screen)).toBeLessThanOrEqual(40);
    },
    { columns: 40, rows: 24 },
  ),
);

tmuxTest('a megabyte that is pasted is one piece, and goes whole', () =>
  withScreen([say('Read.')], async (screen) => {
    await seen(screen, 'anthropic/');
    screen.paste(`${'a line of text to paste\n'.repeat(43_000)}the end`);
    await seen(screen, '[Pasted text #1 +43001 lines]');
    screen.type(' sum it up');
    await seen(screen, 'sum it up');
    screen.press('Enter');
    await seen(screen, 'Read.');
    const sent = JSON.stringify(screen.provider.received[0]?.messages);
    expect(sent).toContain('paste\\nthe end sum it up');
    await gone(screen, 'working');
  }),
);
