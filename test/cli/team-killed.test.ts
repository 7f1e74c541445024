import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { listMail } from '../../src/team/mail/list-mail.ts';
import { openMembers } from '../../src/team/members.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { value } from '../team/support.ts';
import { cadre, newPlace, start, unconfined, until } from './support.ts';

/** A leader that wants two reports and does what is missing for them; members that look around before they report. */
function answer(request: ModelRequest) {
  const said = JSON.stringify(request.messages);
  const name = /You are (\w+), a teammate/.exec(request.system.join('\n'))?.[1];
  if (name !== undefined)
    return said.includes('tool_result') ? say(`Report of ${name}.`) : call('Glob', { pattern: '*' });
  if (!said.includes('You lead the team') && !said.includes('already leads'))
    return call('TeamCreate', { team_name: 'crew' });
  for (const member of ['alice', 'bob'])
    if (!said.includes(`${member}@crew has started`) && !said.includes(`teammate ${member} already`))
      return call('Agent', { description: 'work', prompt: `Work as ${member}`, name: member });
  return say(
    ['alice', 'bob'].every((one) => said.includes(`Report of ${one}.`)) ? 'All reported.' : 'Waiting.',
  );
}

// The request at which the leader's process is killed: while it creates the team, starts members, or they work and report.
for (const moment of [2, 3, 4, 5, 6, 7, 8])
  test(`TM9 G5 a leader killed with -9 at request ${moment} is resumed: every report arrives once, and nothing runs`, async () => {
    const place = newPlace();
    let requests = 0;
    let kill = () => {};
    await using provider = await fakeProvider({
      script: (request: ModelRequest) => {
        if (++requests === moment) kill();
        return answer(request);
      },
    });
    const run = start(['-p', 'Go', ...unconfined], { place, provider });
    kill = () => void run.child.kill('SIGKILL');
    expect((await run.ended).signal).toBe('SIGKILL');
    const again = await cadre(['-p', '-c', 'Finish.', ...unconfined], { place, provider });
    expect(again).toMatchObject({ code: 0 });
    expect(again.out).toContain('All reported.');
    const team = locateTeam(place.home, 'crew');
    const reports = value(listMail(team, systemMachine, 'team-lead')).filter(
      ({ message }) => message.kind === 'report',
    );
    expect(reports.map(({ message }) => message.from).sort()).toEqual(['alice', 'bob']);
    const members = openMembers(team, systemMachine, systemClock);
    await until(() => members.list().every(({ name }) => !members.isAlive(name)));
    expect(members.list().map(({ state }) => state)).toEqual(['suspended', 'suspended', 'suspended']);
  }, 30_000);
