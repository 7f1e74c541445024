import { expect } from 'bun:test';
import { call, say } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { gone, type Screen, seen, send, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

/** Gives `/compact` while a command runs. */
function whileItRuns(then: (screen: Screen) => Promise<void>): Promise<void> {
  return withScreen(
    [call('Bash', { command: 'echo begun; sleep 600' }), say('The summary.')],
    async (screen) => {
      await seen(screen, '│ begun');
      await send(screen, '/compact the tests');
      await seen(screen, '⋯ /compact the tests');
      await then(screen);
    },
    { flags: ['--allowedTools', 'Bash', '--', 'go'] },
  );
}

tmuxTest('/compact during a turn waits in sight and can be taken back', () =>
  whileItRuns(async (screen) => {
    screen.press('Up');
    await seen(screen, '❯ /compact the tests');
    await gone(screen, '⋯');
    screen.press('Escape');
    await seen(screen, 'Stopped after');
    expect(screen.provider.received).toHaveLength(1);
  }),
);

tmuxTest('/compact that waits is done after an interrupt, and waits no longer', () =>
  whileItRuns(async (screen) => {
    screen.press('Escape');
    await seen(screen, 'was compacted');
    await gone(screen, '⋯');
    expect(screen.provider.received).toHaveLength(2);
  }),
);
