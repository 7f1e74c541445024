import { expect } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { openMembers } from '../../src/team/members.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import { call, fakeProvider, lastUserText, say } from '../../src/testing/index.ts';
import { environmentOf, program } from '../cli/support.ts';
import { needs, until } from '../support/index.ts';
import { startServer } from '../team/panes-support.ts';
import { newPlace } from './support.ts';

/** One model for the leader and the teammate in its pane, which are told apart by their prompts. */
function answer(request: ModelRequest) {
  const said = JSON.stringify(request.messages);
  const isMember = request.system.join('\n').includes('You are alice, a teammate');
  const last = lastUserText(request);
  if (isMember) return say(last.includes('One more') ? 'Alice did one more.' : 'Alice has finished.');
  if (last.endsWith('Go')) return call('TeamCreate', { team_name: 'crew' });
  if (last.endsWith('More')) return call('SendMessage', { to: 'alice', message: 'One more, please.' });
  if (last.endsWith('End')) return call('TeamDelete', {});
  if (said.includes('You lead the team') && !said.includes('starts in a pane'))
    return call('Agent', { description: 'work', prompt: 'Do the work', name: 'alice' });
  return say(said.includes('Alice did one more') ? 'The leader heard of one more.' : 'Noted by the leader.');
}

needs('tmux')(
  'TM2 TM8 a teammate in a tmux pane works, reads mail, reports and is gone after its shutdown',
  async () => {
    const place = newPlace();
    await using provider = await fakeProvider({ script: answer });
    const server = startServer();
    const before = server.panes();
    const variables = Object.entries({
      ...environmentOf({ place, provider }),
      CADRE_STILL: '1',
      LANG: 'C.UTF-8',
    });
    const flags = ['--settings', '{"sandbox":{"enabled":false},"agents":{"permissionMode":"default"}}'];
    const command = [program, ...flags, '--teammate-mode', 'tmux'].map((word) => `'${word}'`).join(' ');
    const assigned = variables.map(([name, value]) => `${name}='${value}'`).join(' ');
    server.run('new-window', '-n', 'leader', '-c', place.cwd, `env ${assigned} ${command}; sleep 600`);
    const screen = () => server.run('capture-pane', '-p', '-S', '-200', '-t', 'leader.0');
    const shows = async (text: string) => {
      const end = Date.now() + 20_000;
      await until(() => screen().includes(text) || Date.now() > end);
      if (!screen().includes(text)) throw new Error(`Not shown: ${text}\n${screen()}`);
    };
    const type = (text: string) => {
      server.run('send-keys', '-t', 'leader.0', '-l', text);
      server.run('send-keys', '-t', 'leader.0', 'Enter');
    };
    const members = openMembers(locateTeam(place.home, 'crew'), systemMachine, systemClock);
    await until(() => screen().trim() !== '');
    type('Go');
    await shows('Noted by the leader.');
    await until(() => members.read('alice')?.state === 'idle');
    expect(members.read('alice')).toMatchObject({ kind: 'pane' });
    expect(server.panes()).toHaveLength(before.length + 2);
    type('More');
    await shows('The leader heard of one more.');
    type('End');
    await shows('The team crew has ended');
    await until(() => server.panes().length === before.length + 1);
    expect(members.isAlive('alice')).toBe(false);
    server.stop();
  },
  60_000,
);
