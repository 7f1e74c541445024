import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { call, calls, say } from '../../src/testing/index.ts';
import { gate, openStory, quiet } from '../agents/support.ts';
import { until } from '../support/index.ts';
import { crashTeam, create, heard, kinds, leadThat, start, states, write } from './team-support.ts';

test('TM1 a start that is rejected leaves no member', async () => {
  const story = await openStory({
    lead: leadThat({
      Go: [
        create,
        calls([
          start('ghost', 'Work', { subagent_type: 'nosuch' }),
          start('all', 'Work'),
          start('Team-Lead', 'Work'),
        ]),
        write('ghost@crew', 'Are you there?'),
      ],
    }),
    agents: {},
  });
  await story.prompt('Go');
  expect(states(story)).toEqual({ 'team-lead': expect.any(String) });
  const [, ghost, all, leader, sent] = story.results();
  expect(ghost).toContain('nosuch');
  expect(all).toBe('"all" cannot be the name of a teammate: it is reserved.');
  expect(leader).toBe('"Team-Lead" cannot be the name of a teammate: it is reserved.');
  expect(sent).toBe('There is no ghost@crew. Members: team-lead.');
  await story.session.close();
});

test('TM9 a second start under the name of a living teammate changes nothing: it continues after a kill', async () => {
  const step = gate();
  const story = await openStory({
    lead: leadThat({
      Go: [create, calls([start('alice', 'Work'), start('alice', 'Other'), start('ALICE', 'Other')])],
    }),
    agents: { Work: [() => step.opened.then(() => say('Too late.'))] },
  });
  await story.prompt('Go');
  await until(() => story.requestsOf('Work').length === 1);
  expect(story.results().filter((text) => text.includes('starts already'))).toHaveLength(2);
  expect(
    readdirSync(join(story.at.home, 'teams/crew/members')).filter((name) => /alice\.json/i.test(name)),
  ).toEqual(['alice.json']);
  const again = await crashTeam(story, { lead: () => say('Noted.'), agents: { Work: [say('Done.')] } });
  await until(() => kinds(again).includes('alice report team-lead'));
  await quiet(again);
  expect(heard(again.leadRequests())).toContain('Done.');
  await again.session.close();
  step.open();
  await story.session.close();
});

test('TM9 a teammate that a message brought back continues after a kill', async () => {
  const step = gate();
  const story = await openStory({
    lead: leadThat({
      Go: [create, start('alice', 'Work')],
      End: [write('alice', { type: 'shutdown_request', reason: 'enough' })],
      More: [write('alice', 'One more thing.')],
    }),
    agents: { Work: [say('First.'), () => step.opened.then(() => say('Too late.'))] },
  });
  await story.prompt('Go');
  await quiet(story);
  await story.prompt('End');
  await until(() => states(story).alice === 'ended');
  await story.prompt('More');
  await until(() => story.requestsOf('Work').length === 2);
  const again = await crashTeam(story, { lead: () => say('Noted.'), agents: { Work: [say('Second.')] } });
  await until(() => kinds(again).includes('alice report team-lead'));
  await quiet(again);
  expect(heard(again.leadRequests())).toContain('Second.');
  await again.session.close();
  step.open();
  await story.session.close();
});

test('TM1 after a team could not be created, an agent with a name is refused instead of being a sub-agent', async () => {
  const story = await openStory({
    lead: leadThat({
      Go: [
        call('TeamCreate', { team_name: '../x' }),
        start('alice', 'Work'),
        call('Agent', { description: 'Look', prompt: 'Look' }),
        create,
        start('alice', 'Work'),
      ],
    }),
    agents: { Look: [say('Seen.')], Work: [say('Done.')] },
  });
  await story.prompt('Go');
  await quiet(story);
  const [, refused, plain, , teammate] = story.results();
  expect(refused).toBe(
    'The team ../x was not created, so alice would be a sub-agent and not a teammate. Create the team with TeamCreate first, or leave out name to start a sub-agent.',
  );
  expect(plain).toContain('Seen.');
  expect(teammate).toContain('alice@crew has started');
  await story.session.close();
});
