import { expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { type Answer, type ModelRequest, textOf } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say, type Turn } from '../../src/testing/index.ts';
import { listRecords } from '../../src/workspace/worktrees/record.ts';
import { git, repository } from '../session/repository.ts';
import type { Place } from '../session/support.ts';
import { openStory, quiet, type Story } from './support.ts';

const apart = { description: 'Mend it', prompt: 'Work', isolation: 'worktree', name: 'one' };
const yes: Answer = { behaviour: 'allow' };
const options: SessionOptions = {
  permissionMode: 'bypassPermissions',
  allowBypass: true,
  onQuestion: async () => yes,
};

const follow = call('SendMessage', { to: 'one', message: 'One more line' });
const commit = (line: string) =>
  call('Bash', { command: `echo ${line} >> a.txt && git commit --quiet --all --message=${line}` });
const look = call('Bash', { command: 'git log --format=%s; cat a.txt' });

/** Its first work lands, or whatever `between` does; then it is written to and continues. */
async function tell(
  at: Place,
  between: Turn[],
  later: Turn[],
  first: Turn = commit('first'),
): Promise<Story> {
  const story = await openStory(
    {
      lead: [call('Agent', { ...apart }), ...between, follow, say('Ok.'), say('Heard.'), say('Heard.')],
      agents: { Work: [first, say('Once.'), ...later, say('Twice.')] },
    },
    options,
    at,
  );
  await story.prompt('Go');
  await quiet(story);
  return story;
}

const land = call('Land', { action: 'land' });

function seen(request: ModelRequest | undefined): string {
  const content = request?.messages.at(-1)?.content ?? [];
  return content.flatMap((block) => (block.type === 'tool_result' ? [textOf(block.content)] : [])).join('\n');
}

/** All that was said to it when it continued. */
function toldIn(story: Story): string {
  const messages = story.requestsOf('Work')[2]?.messages ?? [];
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages
    .slice(last + 1)
    .map(({ content }) => textOf(content))
    .join('\n');
}

test('an agent whose work has landed continues from the branch that has it', async () => {
  const at = repository();
  const story = await tell(at, [land], [look]);
  expect(seen(story.requestsOf('Work').at(-1))).toBe('first\nStart\none\nfirst');
  await story.session.close();
});

test('and reads where its work has landed, and what its worktree starts from now', async () => {
  const at = repository();
  const story = await tell(at, [land], [look]);
  const landed = git(at.cwd, 'rev-parse', '--short=12', 'main').trim();
  expect(toldIn(story)).toContain(`Your earlier work has landed on main as ${landed}`);
  expect(toldIn(story)).toContain(`starts from main at ${landed}`);
  await story.session.close();
});

test('what it adds lands without a conflict, as the work of the same agent', async () => {
  const at = repository();
  const story = await tell(at, [land], [call('Bash', { command: 'echo more >> a.txt' })]);
  const [record] = listRecords(at.home);
  expect(record).toMatchObject({ agentName: 'one', title: 'Mend it' });
  await story.session.close();
  const lead = [land, say('Done.')];
  const landing = await openStory(
    { lead, agents: {} },
    { ...options, resume: { from: 'id', id: story.session.id } },
    at,
  );
  await landing.prompt('Land');
  const message = git(at.cwd, 'log', '-1', '--format=%B', 'main');
  expect(message).toStartWith('Mend it\n');
  expect(message).toMatch(/^Cadre-Agent: one \(a\w+\)$/m);
  expect(message).toContain('Cadre-Task: Mend it');
  expect(git(at.cwd, 'show', 'main:a.txt')).toBe('one\nfirst\nmore\n');
  await landing.session.close();
});

test('where the directory alone was removed it continues at its branch, and reads that what was not committed is lost', async () => {
  const at = repository();
  const remove: Turn = () => {
    const [record] = listRecords(at.home);
    rmSync(record?.path ?? '', { recursive: true });
    return follow;
  };
  const story = await openStory(
    {
      lead: [call('Agent', { ...apart }), remove, say('Ok.'), say('Heard.')],
      agents: { Work: [commit('first'), say('Once.'), look, say('Twice.')] },
    },
    options,
    at,
  );
  await story.prompt('Go');
  await quiet(story);
  expect(seen(story.requestsOf('Work').at(-1))).toBe('first\nStart\none\nfirst');
  expect(toldIn(story)).toContain('was made again from its branch');
  await story.session.close();
});

test('one that left nothing reads that it starts where it began', async () => {
  const at = repository();
  const story = await tell(at, [], [look], call('Read', { file_path: 'a.txt' }));
  expect(toldIn(story)).toContain('Your worktree had been removed');
  expect(seen(story.requestsOf('Work').at(-1))).toBe('Start\none');
  await story.session.close();
});

test('one whose worktree is there is told nothing of the sort', async () => {
  const at = repository();
  const story = await tell(at, [], [look]);
  expect(toldIn(story)).not.toContain('made again');
  await story.session.close();
});
