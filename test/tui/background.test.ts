import { expect } from 'bun:test';
import { call, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { expectScreen, seen, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

tmuxTest('ctrl-b sends the command that the turn waits for to the background', () =>
  withScreen(
    [call('Bash', { command: 'echo begun; sleep 600' }), say('It goes on behind.'), say('It is over.')],
    async (screen) => {
      await seen(screen, '│ begun');
      screen.press('C-b');
      await seen(screen, 'It goes on behind.');
      await seen(screen, '1 task under way');
      expect(JSON.stringify(screen.provider.received[1]?.messages)).toContain('sent this to the background');
      screen.press('C-t');
      await seen(screen, '1 running');
      expectScreen('moved-command', screen);
      screen.press('b');
      await seen(screen, 'It is in the background already.');
      screen.press('x');
      await seen(screen, 'y stops it');
      screen.press('y');
      await seen(screen, '1 stopped');
      screen.press('b');
      await seen(screen, 'It has ended: there is nothing to move.');
      screen.press('Escape');
      await seen(screen, 'It is over.');
      expect(screen.visible()).not.toContain('foreground');
    },
    { flags: ['--allowedTools', 'Bash', '--', 'go'] },
  ),
);
