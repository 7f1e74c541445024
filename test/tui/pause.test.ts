import { expect } from 'bun:test';
import { environmentOf, program } from '../cli/support.ts';
import { needs, openPane } from '../support/index.ts';
import { newPlace, seen, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

tmuxTest('ctrl-z goes back to the shell, and fg goes on with what was typed', async () => {
  const place = newPlace();
  const pane = openPane({
    command: ['bash', '--norc', '--noprofile', '-i'],
    cwd: place.cwd,
    env: { ...environmentOf({ place }), ANTHROPIC_API_KEY: 'a-test-key', CADRE_STILL: '1', PS1: 'shell> ' },
  });
  try {
    await pane.shows('shell>');
    pane.type(`${program}\r`);
    await pane.shows('anthropic/');
    pane.type('half a thought');
    await pane.shows('❯ half a thought');
    pane.press('C-z');
    await pane.shows('Stopped');
    pane.type('echo in the $((1 + 1))nd\r');
    await pane.shows('in the 2nd');
    pane.type('fg\r');
    await pane.shows(/in the 2nd[\s\S]*❯ half a thought/);
    pane.type(', and the rest');
    await pane.shows('❯ half a thought, and the rest');
  } finally {
    pane.close();
  }
});

tmuxTest('ctrl-z where no shell could bring it back leaves it as it is', () =>
  withScreen([], async (screen) => {
    await seen(screen, 'anthropic/');
    screen.press('C-z');
    screen.type('still here');
    await seen(screen, '❯ still here');
    screen.bytes('\u001a, with a key among it\u007f');
    await seen(screen, '❯ still here, with a key among i');
    screen.press('C-z');
    await seen(screen, 'There is no shell to go back to.');
    expect(screen.visible()).not.toContain('exit code');
  }),
);
