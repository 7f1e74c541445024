import { expect } from 'bun:test';
import { call, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { gone, seen, send, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

tmuxTest('/compact during a turn waits in sight and can be taken back', () =>
  withScreen(
    [call('Bash', { command: 'echo begun; sleep 600' }), say('The summary.')],
    async (screen) => {
      await seen(screen, '│ begun');
      await send(screen, '/compact the tests');
      await seen(screen, '⋯ /compact the tests');
      screen.press('Up');
      await seen(screen, '❯ /compact the tests');
      await gone(screen, '⋯');
      screen.press('Escape');
      await seen(screen, 'interrupted');
      expect(screen.provider.received).toHaveLength(1);
    },
    { flags: ['--allowedTools', 'Bash', '--', 'go'] },
  ),
);

tmuxTest('/compact that waits is done after an interrupt, and waits no longer', () =>
  withScreen(
    [call('Bash', { command: 'echo begun; sleep 600' }), say('The summary.')],
    async (screen) => {
      await seen(screen, '│ begun');
      await send(screen, '/compact the tests');
      await seen(screen, '⋯ /compact the tests');
      screen.press('Escape');
      await seen(screen, /was compacted|nothing to compact/);
      await gone(screen, '⋯');
    },
    { flags: ['--allowedTools', 'Bash', '--', 'go'] },
  ),
);
