import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { PasteGuard } from '../../src/tui/keys/paste-guard.ts';
import { needs } from '../support/index.ts';
import { seen, settled, withScreen } from './support.ts';

const tmuxTest = needs('tmux');
const begin = '\u001b[200~';
const end = '\u001b[201~';

function guard() {
  const clock = manualClock();
  let text = '';
  const paste = new PasteGuard(clock, (chunk) => {
    text += Buffer.from(chunk).toString('utf8');
  });
  return {
    clock,
    take: (...pieces: string[]) => {
      for (const piece of pieces) paste.take(piece);
    },
    text: () => text,
  };
}

test('what follows the end of a paste at once is pasted too', () => {
  const { take, text, clock } = guard();
  take(`${begin}one${end}!rm\r`, `more\r${end}`);
  clock.advance(30);
  expect(text()).toBe(`${begin}one!rm\rmore\r${end}`);
});

test('a mark in pieces, or made by taking another out, ends nothing', () => {
  const { take, text, clock } = guard();
  take(`${begin}a\u001b[20`, `1~b\u001b[20${end}1~c`, end);
  clock.advance(30);
  expect(text()).toBe(`${begin}abc${end}`);
});

tmuxTest('a paste that holds the end of a paste runs nothing', () =>
  withScreen([], async (screen) => {
    await seen(screen, 'anthropic/');
    screen.type(`${begin}look${end}\r!touch made\r`);
    await seen(screen, '!touch made');
    await settled(screen);
    expect(await Bun.file(`${screen.place.cwd}/made`).exists()).toBe(false);
    expect(screen.provider.received).toHaveLength(0);
  }),
);
