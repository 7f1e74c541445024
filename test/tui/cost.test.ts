import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { call, hang, say } from '../../src/testing/index.ts';
import { CostFeed } from '../../src/tui/cost-feed.ts';
import { needs } from '../support/index.ts';
import { seen, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

tmuxTest('cost and tokens are counted while the turn goes on (UI4)', () =>
  withScreen(
    [call('Glob', { pattern: '*' }), hang(say('I work'))],
    async (screen) => {
      await seen(screen, 'I work');
      await seen(screen, 'esc to stop');
      await seen(screen, /\$\d.* tokens/);
    },
    { flags: ['go'] },
  ),
);

tmuxTest('an agent in the background is counted while it works, in the status line and in the panel', () =>
  withScreen(
    async ({ messages }) => {
      const isAgent = JSON.stringify(messages[0]).includes('Your task');
      if (isAgent) return messages.length < 3 ? call('Glob', { pattern: '*' }) : hang(say('still at it'));
      return messages.length < 3
        ? call('Agent', {
            subagent_type: 'general-purpose',
            description: 'look',
            prompt: 'Your task: look',
            run_in_background: true,
          })
        : say('It looks.');
    },
    async (screen) => {
      await seen(screen, 'It looks.');
      screen.press('C-t');
      await seen(screen, /look +running.*\$\d/);
    },
    {
      flags: ['--settings', '{"sandbox":{"enabled":false},"agents":{"permissionMode":"default"}}', 'go'],
      columns: 120,
    },
  ),
);

tmuxTest('what a request that broke off can have cost is shown as held', () =>
  withScreen(
    [() => new Promise<never>(() => {})],
    async (screen) => {
      await seen(screen, 'esc to stop');
      while (screen.provider.received.length === 0) await Bun.sleep(10);
      screen.press('Escape');
      await seen(screen, /\+ \$\d[\d.]* held/);
    },
    { flags: ['go'] },
  ),
);

test('the book is looked into at most once a second, and not at all while nothing happens', () => {
  const clock = manualClock();
  let looks = 0;
  const feed = new CostFeed(
    clock,
    () => ({ totalMicroUsd: 0, rows: [] }),
    () => looks++,
  );
  for (let at = 0; at < 30; at++) {
    feed.note({ type: 'task_progressed' } as Parameters<CostFeed['note']>[0]);
    clock.advance(100);
  }
  expect(looks).toBe(3);
  clock.advance(2_000);
  expect(clock.untilNext()).toBeUndefined();
});
