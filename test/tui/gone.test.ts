import { expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { call, hang, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { asked, seen, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

tmuxTest('a terminal that is gone ends the program and all that it started', () =>
  withScreen(
    [hang(say('I begin'))],
    async (screen) => {
      await seen(screen, 'I begin');
      const [pid = 0] = screen.children();
      expect(existsSync(`/proc/${pid}`)).toBe(true);
      screen.close();
      while (existsSync(`/proc/${pid}`)) await Bun.sleep(20);
    },
    { flags: ['go'] },
  ),
);

tmuxTest(
  'while a question has the keys the panel can be looked at, and the question is there afterwards',
  () =>
    withScreen(
      [call('Bash', { command: 'touch made' }), say('Done.')],
      async (screen) => {
        await asked(screen, '$ touch made');
        screen.press('C-t');
        await seen(screen, 'Nothing has been started yet');
        await seen(screen, '1 question waiting');
        screen.press('C-q');
        await asked(screen, '$ touch made');
        screen.type('y');
        await seen(screen, 'Done.');
      },
      { flags: ['go'] },
    ),
);
