import { call, hang, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { gone, seen, send, withScreen } from './support.ts';

const tmuxTest = needs('tmux');
const sleeps = (seconds: number) => call('Bash', { command: `sleep ${seconds}`, run_in_background: true });
const flags = ['--allowedTools', 'Bash', '--', 'go'];

tmuxTest('what is typed again is the same command: /fork is no yes to /clear', () =>
  withScreen(
    [hang(say('I am at it'))],
    async (screen) => {
      await seen(screen, 'I am at it');
      await send(screen, '/clear');
      await seen(screen, 'This stops the turn. Enter the command again to confirm.');
      await send(screen, '/fork');
      await seen(screen, /Enter the command again.*Enter the command again/s);
      await send(screen, '/fork');
      await seen(screen, 'Now working in a copy.');
    },
    { flags, rows: 40 },
  ),
);

tmuxTest('work that began since the warning is warned of, too', () =>
  withScreen(
    [sleeps(600), say('One runs.'), sleeps(601), say('Two run.')],
    async (screen) => {
      await seen(screen, 'One runs.');
      await gone(screen, 'esc to stop');
      await send(screen, '/clear');
      await seen(screen, 'This stops sleep 600.');
      await send(screen, 'another');
      await seen(screen, 'Two run.');
      await gone(screen, 'esc to stop');
      await send(screen, '/clear');
      await seen(screen, /This stops sleep 60\d, sleep 60\d\./);
      await send(screen, '/clear');
      await seen(screen, 'Started a new session.');
    },
    { flags, rows: 40 },
  ),
);

tmuxTest('ctrl-d says what it stops, and leaves at the second press', () =>
  withScreen(
    [sleeps(600), say('One runs.')],
    async (screen) => {
      await seen(screen, 'One runs.');
      await gone(screen, 'esc to stop');
      screen.press('C-d');
      await seen(screen, 'ctrl-d again to quit; this stops sleep 600');
      screen.press('C-d');
      await seen(screen, 'Stopped: sleep 600');
    },
    { flags, rows: 40 },
  ),
);
