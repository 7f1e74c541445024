import { expect } from 'bun:test';
import { say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { type Screen, seen, settled, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => `Line ${index + 1} of it.`).join('\n\n');

/** How often each line is on the screen or above it. */
function copies({ screen }: Screen): number[] {
  const found = screen().match(/Line \d+ of it/g) ?? [];
  return [...new Set(found)].map((line) => found.filter((one) => one === line).length);
}

tmuxTest('however often the size changes, what is on the screen leaves no copies above it', () =>
  withScreen(
    [say(lines(30))],
    async (screen) => {
      await seen(screen, 'Line 30 of it');
      await seen(screen, /\$\d/);
      for (const columns of [70, 60, 50, 66, 80]) {
        screen.resize(columns, 24);
        await seen(screen, `\n${'─'.repeat(columns)}\n`);
        await settled(screen);
        expect(screen.visible()).toContain('Line 30 of it');
      }
      expect(copies(screen)).toHaveLength(30);
      // The end of what had scrolled away already may be drawn once more.
      expect(copies(screen).filter((count) => count > 1).length).toBeLessThan(4);
      expect(screen.screen().match(/Ask for something/g)).toHaveLength(1);
    },
    { flags: ['go'] },
  ),
);

tmuxTest('a higher screen and a lower one show the end of the conversation', () =>
  withScreen(
    [say(lines(30))],
    async (screen) => {
      await seen(screen, 'Line 30 of it');
      await seen(screen, /\$\d/);
      for (const rows of [34, 12, 24]) {
        screen.resize(80, rows);
        await settled(screen);
        expect(screen.visible()).toContain('Line 30 of it');
        expect(screen.visible()).toContain('Ask for something');
      }
      expect(copies(screen)).toHaveLength(30);
      expect(screen.screen().match(/Ask for something/g)).toHaveLength(1);
    },
    { flags: ['go'] },
  ),
);

tmuxTest('a size that changed behind a panel is drawn when the panel is closed', () =>
  withScreen(
    [say(lines(30))],
    async (screen) => {
      await seen(screen, 'Line 30 of it');
      screen.press('C-t');
      await seen(screen, 'Nothing has been started yet');
      screen.resize(60, 24);
      await settled(screen);
      expect(screen.visible()).toContain('Nothing has been started yet');
      screen.press('Escape');
      await seen(screen, `\n${'─'.repeat(60)}\n`);
      await settled(screen);
      expect(screen.visible()).toContain('Line 30 of it');
      expect(screen.visible().match(/❯ Ask/g)).toHaveLength(1);
    },
    { flags: ['go'] },
  ),
);
