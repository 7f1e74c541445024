import { expect, test } from 'bun:test';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, type ModelRequest, textOf } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, hang, lastUserText, say, type Turn } from '../../src/testing/index.ts';
import { listRecords, writeRecord } from '../../src/workspace/worktrees/record.ts';
import { git, repository } from '../session/repository.ts';
import { type Place, place } from '../session/support.ts';
import { nextEvent, openStory, quiet, type Story } from './support.ts';

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

test('one that left nothing starts from the branch as it is now, with what it had merged', async () => {
  const at = repository();
  const advance: Turn = () => {
    git(at.cwd, 'commit', '--quiet', '--allow-empty', '--message=Meanwhile');
    return follow;
  };
  const story = await openStory(
    {
      lead: [call('Agent', { ...apart }), advance, say('Ok.'), say('Heard.')],
      agents: { Work: [call('Read', { file_path: 'a.txt' }), say('Once.'), look, say('Twice.')] },
    },
    options,
    at,
  );
  await story.prompt('Go');
  await quiet(story);
  expect(seen(story.requestsOf('Work').at(-1))).toBe('Meanwhile\nStart\none');
  expect(toldIn(story)).toContain('It was made again from main at ');
  await story.session.close();
});

test('one whose worktree is there is told nothing of the sort', async () => {
  const at = repository();
  const story = await tell(at, [], [look]);
  expect(toldIn(story)).not.toContain('made again');
  await story.session.close();
});

/** A session whose process was killed while its agent worked apart, and had committed something. */
async function killed(): Promise<{ story: Story; at: Place }> {
  const first = repository();
  const agents = { Work: [commit('first'), hang()] };
  const lead = [call('Agent', { ...apart, run_in_background: true }), say('Waiting.')];
  const story = await openStory({ lead, agents }, options, first);
  const committed = nextEvent(
    story,
    (event) => event.type === 'turn_started' && event.turn === 2 && event.agentId !== null,
  );
  story.session.send({ type: 'prompt', content: 'Go' });
  await committed;
  const at = { ...place(), cwd: first.cwd };
  for (const name of ['projects', 'worktrees'])
    cpSync(join(first.home, name), join(at.home, name), { recursive: true });
  for (const record of listRecords(at.home))
    writeRecord(at, { ...record, owner: { pid: 2 ** 22 + 1, start: '0' } });
  return { story, at };
}

test('the notice of an agent that a crash cut off says where its work is', async () => {
  const { story, at } = await killed();
  const lead = [say('I see.')];
  const again = await openStory(
    { lead, agents: {} },
    { ...options, resume: { from: 'id', id: story.session.id } },
    at,
  );
  await again.prompt('Well?');
  const heard = again.leadRequests().map((request) => lastUserText(request));
  expect(heard.join('\n')).toMatch(
    /<worktree><name>one-\w+<\/name><path>.*<branch>cadre\/one-\w+\/work<\/branch><diffstat>1 file changed/,
  );
  await again.session.close();
  await story.session.close();
});

test('who resumes a session that crashed reads that the worktree is its own', async () => {
  const { story, at } = await killed();
  const again = await openStory(
    { lead: [say('I see.')], agents: {} },
    { ...options, resume: { from: 'id', id: story.session.id } },
    at,
  );
  await again.prompt('Well?');
  const notices = JSON.stringify(again.events);
  expect(notices).toContain('of this session contains work that has not landed');
  expect(notices).not.toContain('is no longer used by any session');
  await again.session.close();
  await story.session.close();
});
