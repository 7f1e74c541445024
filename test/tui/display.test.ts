import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { App } from '../../src/tui/app.ts';
import { Display } from '../../src/tui/display.ts';
import { createEditor } from '../../src/tui/editor/index.ts';
import { makeTheme } from '../../src/tui/text/index.ts';
import { openTestScreen } from './test-screen.ts';

const look = {
  theme: makeTheme({ level: 'none', attributes: false }),
  plain: false,
  isDumb: false,
  animation: false,
  home: '/home/a',
};

function openDisplay() {
  const { screen, terminal, takeWrites } = openTestScreen({ columns: 60, rows: 24 });
  const app = new App(manualClock(), look, { columns: 60, rows: 24 });
  const display = new Display(app, terminal, screen);
  const drawn = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return takeWrites();
  };
  return { app, display, drawn };
}

test('changes that come at once are one write, with the finished text', async () => {
  const { app, drawn } = openDisplay();
  app.say(() => ['finished']);
  app.change({ editor: createEditor('one') });
  app.change({ editor: createEditor('two') });
  const writes = await drawn();
  expect(writes).toHaveLength(1);
  expect(writes[0]).toMatch(/finished[\s\S]*❯ two/);
  expect(writes[0]).not.toContain('one');
});

test('what is finished behind a panel is written once the panel is closed', async () => {
  const { app, drawn } = openDisplay();
  app.openPanel({ kind: 'page', title: 'A page', text: 'Its text', down: 0 });
  expect((await drawn()).join('')).toContain('Its text');
  app.say(() => ['finished']);
  expect(await drawn()).toEqual([]);
  app.closePanel();
  expect((await drawn()).join('')).toMatch(/\x1b\[\?1049l[\s\S]*finished/);
});

test('what is finished just before the terminal is handed over is written first', async () => {
  const { app, display, drawn } = openDisplay();
  app.say(() => ['finished']);
  const resume = display.suspend();
  expect((await drawn()).join('')).toContain('finished');
  app.say(() => ['meanwhile']);
  expect(await drawn()).toEqual([]);
  resume();
  expect((await drawn()).join('')).toContain('meanwhile');
});

test('nothing is drawn after the end', async () => {
  const { app, display, drawn } = openDisplay();
  app.say(() => ['finished']);
  display.close();
  expect((await drawn()).join('')).toMatch(/finished[\s\S]*\x1b\[\?25h$/);
  app.change({ editor: createEditor('late') });
  expect(await drawn()).toEqual([]);
});
