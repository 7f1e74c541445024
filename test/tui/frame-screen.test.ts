import { expect, test } from 'bun:test';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Drawn } from '../../src/tui/screen/prompt-lines.ts';
import { paint, truncate } from '../../src/tui/text/index.ts';
import { needs, openPane, type Pane } from '../support/index.ts';
import { openTestScreen } from './test-screen.ts';
import { randomFrom } from './text/support.ts';

const size = { columns: 40, rows: 10 };

test('a frame, and the finished text above it, are one write that is shown at once', () => {
  const { screen, takeWrites } = openTestScreen(size);
  screen.draw({ lines: ['one', 'two'] }, 'finished');
  const writes = takeWrites();
  expect(writes).toHaveLength(1);
  expect(writes[0]).toMatch(/^\x1b\[\?2026h[\s\S]*finished\r\n[\s\S]*one[\s\S]*two[\s\S]*\x1b\[\?2026l$/);
});

test('a frame that has not changed writes nothing', () => {
  const { screen, takeWrites } = openTestScreen(size);
  const drawn = { lines: ['one', 'two'], cursor: { x: 1, y: 1 } };
  screen.draw(drawn);
  takeWrites();
  screen.draw({ ...drawn, lines: [...drawn.lines] });
  expect(takeWrites()).toEqual([]);
});

test('of a frame that has changed only the lines that differ are written', () => {
  const { screen, takeWrites } = openTestScreen(size);
  screen.draw({ lines: ['one', 'two', 'three'] });
  takeWrites();
  screen.draw({ lines: ['one', '2', 'three'] });
  const [write = ''] = takeWrites();
  expect(write).toContain('2');
  expect(write).not.toMatch(/one|three/);
});

test('a cursor that moved is moved, and no line is written', () => {
  const { screen, takeWrites } = openTestScreen(size);
  screen.draw({ lines: ['one', 'two'], cursor: { x: 1, y: 1 } });
  takeWrites();
  screen.draw({ lines: ['one', 'two'], cursor: { x: 2, y: 0 } });
  expect(takeWrites()).toEqual(['\x1b[?2026h\x1b[?25l\x1b[1A\r\x1b[3G\x1b[?25h\x1b[?2026l']);
});

test('without a cursor it is hidden, and shown again at the end', () => {
  const { screen, written } = openTestScreen(size);
  screen.draw({ lines: ['one'] });
  expect(written()).not.toContain('\x1b[?25h');
  screen.close();
  expect(written()).toEndWith('\x1b[?25h');
});

test('of a frame taller than the terminal the end is shown, and no line is wider than it', () => {
  const { screen, written } = openTestScreen({ columns: 10, rows: 3 });
  screen.draw({ lines: ['one', 'two', 'three', 'four', 'five and more than fits'], cursor: { x: 0, y: 0 } });
  expect(written()).not.toMatch(/one|two|\?25h/);
  expect(written()).toContain('five and …');
  expect(written().match(/\n/g)).toHaveLength(2);
});

test('for a screen reader a frame is written whole, once, with the cursor where typed text goes', () => {
  const { screen, takeWrites } = openTestScreen(size, true);
  screen.draw({ lines: ['one', 'two'], cursor: { x: 2, y: 0 } }, 'finished');
  expect(takeWrites()).toEqual(['finished\r\none\r\ntwo\x1b[1A\x1b[3G']);
  screen.draw({ lines: ['one', 'two'], cursor: { x: 2, y: 0 } });
  expect(takeWrites()).toEqual([]);
  screen.draw({ lines: ['one', 'two'], cursor: { x: 1, y: 0 } });
  expect(takeWrites()).toEqual(['\x1b[2G']);
  screen.draw({ lines: ['one', '2'] });
  expect(takeWrites()).toEqual(['\x1b[1B\x1b[2K\x1b[A\x1b[2K\rone\r\n2']);
});

test('for a screen reader the cursor is counted in rows as wrapped, and below the frame at the end', () => {
  const { screen, takeWrites } = openTestScreen({ columns: 5, rows: 10 }, true);
  screen.draw({ lines: ['abcdefg', 'Prom', 'z'], cursor: { x: 4, y: 1 } });
  expect(takeWrites().join('')).toEndWith('z\x1b[1A\x1b[5G');
  screen.close();
  expect(takeWrites()).toEqual(['\x1b[1B\r\n']);
});

const tmuxTest = needs('tmux');

tmuxTest('after any series of frames and texts the terminal shows the texts and the last frame', async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const random = randomFrom(seed);
    const steps = Array.from({ length: 40 }, () => makeStep(random));
    const whole = openTestScreen(size);
    const bytes = steps.map(({ drawn, text }) => {
      whole.screen.draw(drawn, text);
      return whole.takeWrites().join('');
    });
    const afresh = openTestScreen(size);
    const texts = steps.flatMap(({ text }) => (text === '' ? [] : [text]));
    const last = steps.at(-1)?.drawn ?? { lines: [] };
    afresh.screen.draw(last, texts.join('\n'));
    const [shown, expected] = await Promise.all([show(bytes.join('')), show(afresh.written())]);
    expect(shown, `seed ${seed}`).toEqual(expected);
  }
});

interface Step {
  drawn: Drawn;
  text: string;
}

function makeStep(random: (below: number) => number): Step {
  const lines = Array.from({ length: 2 + random(size.rows - 1) }, () => makeLine(random));
  const cursor = random(3) > 0 ? { x: random(size.columns), y: random(lines.length) } : undefined;
  const count = random(4) === 0 ? 1 + random(random(5) === 0 ? 30 : 4) : 0;
  return { drawn: { lines, cursor }, text: Array.from({ length: count }, () => makeLine(random)).join('\n') };
}

/** Few lines, so that frames have some in common; some as wide as the terminal. */
function makeLine(random: (below: number) => number): string {
  const line = randomFrom(random(12));
  const text = Array.from({ length: 1 + line(30) }, () => pieces[line(pieces.length)]).join('');
  return truncate(line(2) === 0 ? paint({ fg: '31' }, text) : text, size.columns);
}

/** Without joined emoji: what tmux makes of one depends on how its bytes are cut. */
const pieces = ['a', 'word', ' ', '日', '本語', '한글', 'é', 'e\u0301', '👍', 'ㅎ', 'מ', '─', '…'];

/** What a terminal shows and keeps after these bytes, with its colours, and its cursor. */
async function show(bytes: string): Promise<unknown> {
  const file = join(mkdtempSync(join(tmpdir(), 'cadre-frames-')), 'bytes');
  writeFileSync(file, `${bytes}\x1b]2;all of it\x07`);
  const pane = openPane({
    command: ['sh', '-c', `cat ${file}; sleep 600`],
    cwd: '/',
    env: { LANG: 'C.UTF-8' },
    ...size,
  });
  try {
    while (pane.title() !== 'all of it') await Bun.sleep(10);
    return { screen: pane.screen(), coloured: lastLines(pane), column: pane.column() };
  } finally {
    pane.close();
  }
}

/** Where the frame is depends on the frames before it: a taller one has scrolled the screen. */
function lastLines(pane: Pane): string[] {
  return pane.coloured().split('\n').slice(-2);
}
