import { expect } from 'bun:test';
import { readdirSync } from 'node:fs';
import { environmentOf, newPlace, program } from '../cli/support.ts';
import { needs, openPane } from '../support/index.ts';
import { expectScreen, gone, type Screen, seen, settled } from './support.ts';

const tmuxTest = needs('tmux');

tmuxTest(
  'the demo, by keys alone: every question answered, a look at the workers, other widths, going back',
  async () => {
    const place = newPlace();
    const pane = openPane({
      command: [program, 'demo'],
      cwd: place.cwd,
      env: { ...environmentOf({ place }), CADRE_STILL: '1', TMPDIR: place.userHome },
      columns: 100,
      rows: 40,
    });
    const screen = { ...pane, place } as Screen;
    try {
      await seen(screen, 'lead asks: Agent');
      await seen(screen, 'a key or return answers');
      await settled(screen);
      expectScreen('demo-workers', screen);
      screen.press('y');

      await seen(screen, 'lead asks: Land');
      await seen(screen, 'a key or return answers');
      await settled(screen);
      expectScreen('demo-landing', screen);
      screen.press('C-t');
      await seen(screen, 'return looks in');
      await settled(screen);
      expectScreen('demo-tasks', screen);
      screen.press('Enter');
      await seen(screen, 'Purpose: I will specify a mend');
      await settled(screen);
      expectScreen('demo-look', screen);
      screen.press('Escape');
      await seen(screen, 'return looks in');
      screen.press('Escape');
      await seen(screen, 'lead asks: Land');

      screen.resize(60, 40);
      await seen(screen, /^── question ─{48}$/m);
      await gone(screen, '─'.repeat(61));
      await settled(screen);
      expectScreen('demo-narrow', screen);
      screen.resize(100, 40);
      await seen(screen, /^── question ─{88}$/m);
      screen.press('y');

      // The conflict goes back to its owner, and what it mended is landed.
      await seen(screen, 'Mended. I land it.');
      await seen(screen, 'a key or return answers');
      screen.press('y');
      await seen(screen, 'its owner mended it.');
      await gone(screen, 'esc stops');
      await settled(screen);
      expectScreen('demo-end', screen);

      screen.type('What now?');
      screen.press('Enter');
      await seen(screen, 'That was the story');
      screen.type('/rewind');
      screen.press('Enter');
      await seen(screen, 'Go back to how it was before which prompt?');
      await settled(screen);
      expectScreen('demo-rewind', screen);
      screen.press('Escape');
      await gone(screen, 'before which prompt');

      screen.press('C-c');
      await seen(screen, 'ctrl-c again leaves');
      screen.press('C-c');
      const last = await pane.shows('exit code 0');
      // It is gone with its directory.
      expect(last).not.toContain('Go on with it');
      expect(readdirSync(place.userHome)).toEqual([]);
    } finally {
      pane.close();
    }
  },
);
