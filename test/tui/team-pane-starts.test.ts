import { expect } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { call } from '../../src/testing/index.ts';
import { needs, temporaryDirectory, until } from '../support/index.ts';
import { withPaneLeader } from './team-pane-support.ts';

needs('tmux')(
  'TM8 the end of a team closes a pane whose program never started, and leaves no launch file',
  () => {
    const log = join(temporaryDirectory().path, 'log');
    const note = (verb: string) => `echo "${verb} $1" >> '${log}'`;
    return withPaneLeader(
      {
        lead: [call('Agent', { description: 'work', prompt: 'Do it', name: 'alice' })],
        members: {},
        mode: 'command',
        settings: {
          teammateCommand: {
            ...{ open: 'echo pane-1', title: note('title'), send: 'true', list: 'echo pane-1' },
            close: note('close'),
          },
        },
      },
      async ({ place, shows, type }) => {
        await shows('Noted by the leader.');
        const panes = join(place.home, 'teams', 'crew', 'panes');
        expect(readdirSync(panes).some((file) => file.endsWith('.launch.json'))).toBe(true);
        type('End');
        await shows('The team crew has ended');
        expect(readFileSync(log, 'utf8')).toBe('title pane-1\nclose pane-1\n');
        expect(readdirSync(panes)).toEqual([]);
      },
    );
  },
  60_000,
);

needs('tmux')(
  'TM9 a leader that is killed while its panes open hears of the teammate that never came, once',
  () =>
    withPaneLeader(
      {
        lead: [call('Agent', { description: 'work', prompt: 'Do it', name: 'alice' })],
        members: {},
        mode: 'command',
        settings: {
          teammateCommand: { open: 'sleep 60', title: 'true', send: 'true', list: 'true', close: 'true' },
        },
      },
      async ({ place, members, pid, restart, shows, screen }) => {
        const panes = join(place.home, 'teams', 'crew', 'panes');
        await until(
          () => existsSync(panes) && readdirSync(panes).some((file) => file.endsWith('.launch.json')),
        );
        process.kill(pid(), 'SIGKILL');
        restart(['-c']);
        await shows('The teammate alice is not running');
        await until(() => readdirSync(panes).length === 0);
        expect(members.read('alice')).toMatchObject({ wanted: 'ended', state: 'ended' });
        expect(screen().split('alice is not running').length).toBe(2);
      },
    ),
  60_000,
);
