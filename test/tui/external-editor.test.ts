import { expect } from 'bun:test';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { gone, type Screen, seen, settled, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

/** The given shell script is the person's editor; the file is its last argument. */
const editor = (script: string) => ({
  env: { VISUAL: './editor' },
  prepare: ({ cwd }: { cwd: string }) => {
    writeFileSync(join(cwd, 'editor'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(cwd, 'editor'), 0o755);
  },
});

async function open(screen: Screen): Promise<void> {
  await seen(screen, 'anthropic/');
  screen.type('half a thought');
  await seen(screen, '❯ half a thought');
  screen.press('C-g');
}

tmuxTest('ctrl-g hands the prompt to the editor, and what is saved comes back', () =>
  withScreen(
    [say('Well.')],
    async (screen) => {
      await open(screen);
      await seen(screen, 'and the rest');
      screen.press('Enter');
      await seen(screen, 'Well.');
      const sent = JSON.stringify(screen.provider.received[0]?.messages);
      expect(sent).toContain('half a thought\\nand the rest');
    },
    editor('echo >> "$1"; echo "and the rest" >> "$1"'),
  ),
);

tmuxTest('what was pasted is in the file, and keeps its name where it is not changed', () =>
  withScreen(
    [say('Well.')],
    async (screen) => {
      await seen(screen, 'anthropic/');
      screen.type(`\u001b[200~${'line\n'.repeat(20)}last\u001b[201~`);
      await seen(screen, '❯ [Pasted text #1 +21 lines]');
      screen.press('C-g');
      await seen(screen, '❯ see [Pasted text #1 +21 lines]');
      screen.press('Enter');
      await seen(screen, 'Well.');
      expect(JSON.stringify(screen.provider.received[0]?.messages)).toContain('see line\\nline');
    },
    editor(`{ printf 'see '; cat "$1"; } > "$1.new"; mv "$1.new" "$1"`),
  ),
);

tmuxTest('what was pasted can be changed in the editor', () =>
  withScreen(
    [say('Well.')],
    async (screen) => {
      await seen(screen, 'anthropic/');
      screen.paste('line\n'.repeat(12));
      await seen(screen, '❯ [Pasted text #1 +12 lines]');
      screen.press('C-g');
      await seen(screen, 'LINE');
      screen.press('Enter');
      await seen(screen, 'Well.');
      expect(JSON.stringify(screen.provider.received[0]?.messages)).toContain('line\\nLINE');
    },
    editor(`sed -i '12s/line/LINE/' "$1"`),
  ),
);

tmuxTest('an editor that fails changes nothing, and that is said', () =>
  withScreen(
    [],
    async (screen) => {
      await open(screen);
      await seen(screen, './editor failed');
      expect(screen.visible()).toContain('❯ half a thought');
      screen.type(', whole');
      await seen(screen, '❯ half a thought, whole');
    },
    editor('echo other > "$1"; exit 1'),
  ),
);

tmuxTest('one that is not there neither', () =>
  withScreen(
    [],
    async (screen) => {
      await open(screen);
      await seen(screen, 'no-such-editor failed');
      expect(screen.visible()).toContain('❯ half a thought');
    },
    { env: { VISUAL: '', EDITOR: 'no-such-editor' } },
  ),
);

tmuxTest('one that leaves the terminal as it should not be harms nothing', () =>
  withScreen(
    [],
    async (screen) => {
      await open(screen);
      await seen(screen, './editor failed');
      await settled(screen);
      // The main screen again, with what was there before.
      expect(screen.visible()).toContain('/help shows keys');
      screen.type(' goes on');
      await seen(screen, '❯ half a thought goes on');
      screen.press('C-c');
      await gone(screen, 'half a thought');
    },
    editor("printf '\\033[?1049h\\033[?25l\\033[?1003h\\033[31m\\033[2;5r'; stty -echo -icanon; exit 3"),
  ),
);

tmuxTest('ctrl-c while the editor is open is for the editor: the app, its draft and its agents stay', () =>
  withScreen(
    [],
    async (screen) => {
      await open(screen);
      await seen(screen, 'editing now');
      screen.press('C-c');
      await seen(screen, './editor failed');
      expect(screen.visible()).toContain('❯ half a thought');
      screen.type(', whole');
      await seen(screen, '❯ half a thought, whole');
    },
    editor("echo 'editing now'; sleep 600"),
  ),
);
