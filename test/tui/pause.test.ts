import { expect } from 'bun:test';
import { environmentOf, program } from '../cli/support.ts';
import { needs, openPane, type Pane } from '../support/index.ts';
import { newPlace, seen, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

tmuxTest('ctrl-z goes back to the shell, and fg goes on with what was typed', () =>
  inShell(async (pane) => {
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
  }),
);

tmuxTest('ctrl-z in a panel goes back to the shell, and fg to the panel', () =>
  inShell(async (pane) => {
    pane.press('C-t');
    await pane.shows('Nothing has been started yet');
    pane.press('C-z');
    await pane.shows('Stopped');
    expect(pane.visible()).not.toContain('Nothing has been started yet');
    pane.type('fg\r');
    await pane.shows('Nothing has been started yet');
    expect(pane.visible()).not.toContain('Stopped');
    pane.press('Escape');
    await pane.shows(/Stopped[\s\S]*fg[\s\S]*❯ Ask/);
  }),
);

tmuxTest('a window that was made narrower meanwhile is drawn at its new width', () =>
  inShell(async (pane) => {
    pane.press('C-z');
    await pane.shows('Stopped');
    pane.resize(50, 20);
    pane.type('fg\r');
    await pane.shows(/^─{50}\n❯.*\n─{50}\n/m);
    pane.type('typed where it belongs');
    await pane.shows(/^─{50}\n❯ typed where it belongs\n─{50}\n/m);
    expect(pane.visible()).not.toMatch(/^─{51}|^─{1,49}$/m);
  }),
);

tmuxTest('the shell can end it while it is stopped, and keeps its terminal', () =>
  inShell(async (pane) => {
    pane.press('C-z');
    await pane.shows('Stopped');
    // Not `wait -f`: bash gives the status of the stop when it has not yet heard that the job was continued.
    pane.type('pid=$(jobs -p %1); kill %1; tail -f /dev/null -s 0.1 --pid=$pid\r');
    await pane.shows(/^\[1\]. +Terminated .*\nshell>/m);
    pane.type('echo typed once');
    await pane.shows(/shell> echo typed once$/);
  }),
);

tmuxTest('put in the background it waits until the shell brings it back', () =>
  inShell(async (pane) => {
    pane.press('C-z');
    await pane.shows('Stopped');
    pane.type('bg; wait %1; echo stopped with $?\r');
    await pane.shows('stopped with 148');
    pane.type('clear\r');
    pane.type('fg\r');
    await pane.shows('anthropic/');
    pane.type('back again');
    await pane.shows('❯ back again');
  }),
);

tmuxTest('ctrl-z where no shell could bring it back leaves it as it is', () =>
  withScreen([], async (screen) => {
    await seen(screen, 'anthropic/');
    screen.press('C-z');
    screen.type('still here');
    await seen(screen, '❯ still here');
    screen.bytes('\u001a, with a key among it\u007f');
    await seen(screen, '❯ still here, with a key among i');
    screen.press('C-z');
    await seen(screen, 'There is no shell to return to.');
    expect(screen.visible()).not.toContain('exit code');
  }),
);

/** The program as a job of an interactive shell, with its prompt on the screen. */
async function inShell(body: (pane: Pane) => Promise<void>): Promise<void> {
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
    await body(pane);
  } finally {
    pane.close();
  }
}
