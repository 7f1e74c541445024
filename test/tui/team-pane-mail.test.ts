import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { locateTeam } from '../../src/team/team-place.ts';
import { call } from '../../src/testing/index.ts';
import { needs, until } from '../support/index.ts';
import { team, withPaneLeader } from './team-pane-support.ts';

needs('tmux')(
  '/team that is left open shows mail that only other processes know of',
  () =>
    withPaneLeader(
      {
        lead: [call('Agent', { description: 'work', prompt: 'Do it', name: 'alice' })],
        members: { alice: [] },
      },
      async ({ place, members, shows, type }) => {
        await shows('Noted by the leader.');
        await until(() => members.read('alice')?.state === 'idle');
        type('/team');
        await shows('Team crew · 1 idle');
        const box = locateTeam(place.home, team).box('alice');
        const mail = { format: 1, from: 'program:build', text: 'The build is green.' };
        writeFileSync(join(box, 'tmp', 'a.json'), JSON.stringify(mail));
        renameSync(join(box, 'tmp', 'a.json'), join(box, 'new', 'a.json'));
        await shows('The build is green.');
      },
    ),
  60_000,
);

needs('tmux')(
  'TM10 a message to all reaches a teammate whose pane is still being opened',
  () =>
    withPaneLeader(
      {
        lead: [
          call('Agent', { description: 'work', prompt: 'Do it', name: 'alice' }),
          call('SendMessage', { to: '*', message: 'Indent with tabs.' }),
        ],
        members: { alice: [] },
      },
      async ({ provider, shows }) => {
        await shows('Sent to alice.');
        const ofAlice = () =>
          provider.received.filter((one) => one.system.join('\n').includes('You are alice'));
        await until(() => JSON.stringify(ofAlice().at(-1)?.messages ?? '').includes('Indent with tabs.'));
      },
    ),
  60_000,
);
