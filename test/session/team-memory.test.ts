import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { locateTeam } from '../../src/team/team-place.ts';
import { type AnswerTurn, call, say } from '../../src/testing/index.ts';
import { openStory, quiet, type Story } from '../agents/support.ts';
import { until } from '../support/index.ts';
import { type Place, place } from './support.ts';
import { create, heard, leadThat, start } from './team-support.ts';

const token = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6'}`;

/** A teammate that makes these calls, where nobody answers questions. */
async function withTeammate(
  calls: (memory: string) => AnswerTurn[],
  work: (story: Story, memory: string) => Promise<void> | void,
  at: Place = place(),
): Promise<void> {
  const { memory } = locateTeam(at.home, 'crew');
  const story = await openStory(
    {
      lead: leadThat({ Go: [create, start('alice', 'Note')] }),
      agents: { Note: [...calls(memory), say('My part is done.')] },
    },
    { sandbox: false },
    at,
  );
  await story.prompt('Go');
  await until(() => heard(story.leadRequests()).includes('My part is done.'));
  await quiet(story);
  await work(story, memory);
  await story.session.close();
}

/** All that its model was shown, results of calls included. */
function saw(story: Story): string {
  return JSON.stringify(story.requestsOf('Note').at(-1)?.messages);
}

test('TM7 file tools write and read the memory of a team without asking', () =>
  withTeammate(
    (memory) => [
      call('Write', { file_path: join(memory, 'ports.md'), content: 'API: 8080\n' }),
      call('Edit', { file_path: join(memory, 'ports.md'), old_string: '8080', new_string: '9090' }),
      call('Read', { file_path: join(memory, 'ports.md') }),
    ],
    (story, memory) => {
      expect(readFileSync(join(memory, 'ports.md'), 'utf8')).toBe('API: 9090\n');
      expect(saw(story)).toContain('API: 9090');
    },
  ));

test('TM7 without asking only the memory of a team is written, and no secret: not its mail, and not by a command', () =>
  withTeammate(
    (memory) => [
      call('Write', { file_path: join(memory, 'a.md'), content: token }),
      call('Write', { file_path: join(memory, '..', 'mail', 'team-lead', 'new', 'a.json'), content: '{}' }),
      call('Bash', { command: `echo x > ${join(memory, 'b.md')}` }),
    ],
    (story, memory) => {
      expect(readdirSync(memory)).toEqual([]);
      const said = saw(story);
      expect(said).toContain('a.md was not written: it contains a secret');
      expect(said.match(/There is no user to approve this call/g)).toHaveLength(2);
    },
  ));

test('TM7 a file with a secret that another program writes to the memory of a team is taken out, and the user is told', () =>
  withTeammate(
    () => [],
    async ({ events }, memory) => {
      writeFileSync(join(memory, 'leak.md'), token);
      await until(() => !existsSync(join(memory, 'leak.md')));
      expect(readdirSync(join(dirname(memory), 'memory-quarantine'))).toHaveLength(1);
      const told = () =>
        events.some((event) => event.type === 'notice_given' && /leak\.md was moved/.test(event.text));
      await until(told);
    },
  ));

test('TM7 what was written to the memory of a team while its leader did not run is inspected at its start', async () => {
  const at = place();
  const { memory } = locateTeam(at.home, 'crew');
  const leader = await openStory({ lead: leadThat({ Go: [create] }), agents: {} }, {}, at);
  await leader.prompt('Go');
  await leader.session.close();
  mkdirSync(memory, { recursive: true });
  writeFileSync(join(memory, 'leak.md'), token);
  const again = await openStory(
    { lead: [], agents: {} },
    { resume: { from: 'id', id: leader.session.id } },
    at,
  );
  await until(() => !existsSync(join(memory, 'leak.md')));
  await again.session.close();
});
