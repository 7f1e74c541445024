import { expect } from 'bun:test';
import { call } from '../../src/testing/index.ts';
import { cadre } from '../cli/support.ts';
import { needs, until } from '../support/index.ts';
import { team, withPaneLeader } from './team-pane-support.ts';

needs('tmux')(
  'TM8 cadre team end --force closes the panes of a team whose leader was killed',
  () =>
    withPaneLeader(
      {
        lead: [call('Agent', { description: 'work', prompt: 'Do it', name: 'alice' })],
        members: { alice: [call('Bash', { command: 'touch asked' })] },
      },
      async ({ place, provider, server, members, pid, shows }) => {
        await shows('alice@crew asks');
        process.kill(pid(), 'SIGKILL');
        await until(() => !members.isAlive('team-lead'));
        const ended = await cadre(['team', 'end', team], { place, provider });
        expect(ended.code).toBe(2);
        expect(ended.err).toContain('use --force to close its panes');
        expect(await cadre(['team', 'end', team, '--force'], { place, provider })).toMatchObject({ code: 0 });
        expect(members.isAlive('alice')).toBe(false);
        expect(server.panes('#{pane_title}').filter((title) => title.includes('alice'))).toEqual([]);
      },
    ),
  60_000,
);
