import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionOptions } from '../../src/session/options.ts';
import type { Session } from '../../src/session/session.ts';
import { call, expecting, hang, say } from '../../src/testing/index.ts';
import { openStory, prepared } from '../agents/support.ts';
import { until } from '../support/index.ts';
import { open, type Place, place, recordsOf } from './support.ts';

const edits: SessionOptions = { permissionMode: 'acceptEdits', allowedTools: ['Bash'] };

function work(
  files: Record<string, string> = {},
): Place & { file(name: string): string; read(name: string): string } {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  mkdirSync(at.environment.HOME ?? '', { recursive: true });
  const file = (name: string) => join(at.cwd, name);
  for (const [name, text] of Object.entries(files)) writeFileSync(file(name), text);
  return { ...at, file, read: (name) => readFileSync(file(name), 'utf8') };
}

const write = (path: string, content: string) => call('Write', { file_path: path, content });

async function pointsOf(session: Session) {
  const points = await session.checkpoints();
  if (!points.ok) throw new Error(points.problem.message);
  return points.value;
}

async function uuidOf(session: Session, text: string): Promise<string> {
  const point = (await pointsOf(session)).find((one) => one.text === text);
  if (!point) throw new Error(`no checkpoint ${text}`);
  return point.uuid;
}

/** Three prompts: a file is changed by the first two, and one is made by the second. */
async function threePrompts(options: SessionOptions = {}) {
  const at = work({ 'a.txt': 'zero' });
  const opened = await open(
    at,
    [
      call('Read', { file_path: 'a.txt' }),
      write('a.txt', 'one'),
      say('Done one.'),
      write('a.txt', 'two'),
      write('new.txt', 'new'),
      say('Done two.'),
      say('Three.'),
      expecting({ userText: 'again' }, say('Again.')),
    ],
    { ...edits, ...options },
  );
  for (const text of ['first', 'second', 'third']) await opened.prompt(text);
  return { at, ...opened };
}

test('every prompt is listed with the files that were changed from there on', async () => {
  const { session } = await threePrompts();
  expect(await pointsOf(session)).toMatchObject([
    { text: 'first', kind: 'prompt', filesChanged: 2 },
    { text: 'second', filesChanged: 2 },
    { text: 'third', filesChanged: 0 },
  ]);
  await session.close();
});

test('conversation and files go back to how they were at a prompt', async () => {
  const { at, session, model, prompt, events } = await threePrompts();
  const to = await uuidOf(session, 'second');
  const report = await session.rewind({ to, what: 'both' });
  expect(report).toMatchObject({
    ok: true,
    value: {
      restored: [at.file('a.txt')],
      removed: [at.file('new.txt')],
      refused: [],
      to: { prompt: 'second' },
    },
  });
  expect(at.read('a.txt')).toBe('one');
  expect(existsSync(at.file('new.txt'))).toBe(false);
  const context = session.context();
  expect(events.find((event) => event.type === 'session_rewound')).toMatchObject({
    to,
    contextTokens: context.used,
  });
  await prompt('again');
  const asked = JSON.stringify(model.requests.at(-1)?.messages);
  expect(asked).toContain('Done one.');
  expect(asked).not.toContain('Done two.');
  await session.close();
});

test('whoever waits is told how many files are put back', async () => {
  const { session } = await threePrompts();
  const told: [done: number, of: number][] = [];
  const onProgress = (done: number, of: number) => void told.push([done, of]);
  await session.rewind({ to: await uuidOf(session, 'second'), what: 'both', onProgress });
  expect(told[0]).toEqual([0, 2]);
  await session.close();
});

test('a preview says the same and changes nothing', async () => {
  const { at, session } = await threePrompts();
  const wish = { to: await uuidOf(session, 'second'), what: 'both' } as const;
  const before = await recordsOf(session);
  const preview = await session.previewRewind(wish);
  expect(preview).toMatchObject({
    ok: true,
    value: { restored: [at.file('a.txt')], removed: [at.file('new.txt')], insertions: 1, deletions: 2 },
  });
  expect(await recordsOf(session)).toEqual(before);
  expect(at.read('a.txt')).toBe('two');
  expect(await session.rewind(wish)).toEqual(preview);
  await session.close();
});

test('resume goes on from the new head', async () => {
  const { at, session } = await threePrompts();
  await session.rewind({ to: await uuidOf(session, 'second'), what: 'conversation' });
  await session.close();
  expect(at.read('a.txt')).toBe('two');
  const again = await open(at, [say('Gone on.')], { ...edits, resume: { from: 'latest' } });
  await again.prompt('and now');
  const asked = JSON.stringify(again.model.requests[0]?.messages);
  expect(asked).toContain('Done one.');
  expect(asked).not.toContain('second');
  await again.session.close();
});

test('a rewind can be undone, conversation and files', async () => {
  const { at, session, model, prompt } = await threePrompts();
  await session.rewind({ to: await uuidOf(session, 'first'), what: 'both' });
  expect(at.read('a.txt')).toBe('zero');
  const undo = (await pointsOf(session)).at(-1);
  expect(undo).toMatchObject({ kind: 'rewind', text: 'before rewinding to: first', filesChanged: 2 });
  await session.rewind({ to: undo?.uuid ?? '', what: 'both' });
  expect(at.read('a.txt')).toBe('two');
  expect(at.read('new.txt')).toBe('new');
  await prompt('again');
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Three.');
  await session.close();
});

test('files alone: the conversation goes on, and the agent is told', async () => {
  const { at, session, model, prompt } = await threePrompts();
  await session.rewind({ to: await uuidOf(session, 'first'), what: 'files' });
  expect(at.read('a.txt')).toBe('zero');
  await prompt('again');
  const asked = JSON.stringify(model.requests.at(-1)?.messages);
  expect(asked).toContain('Done two.');
  expect(asked).toContain(`restored these files to an earlier state:\\n- ${at.file('a.txt')}`);
  await session.close();
});

test('after going back a file must be read again before it is changed', async () => {
  const at = work({ 'a.txt': 'zero' });
  const { session, prompt } = await open(
    at,
    [
      call('Read', { file_path: 'a.txt' }),
      say('Read.'),
      write('a.txt', 'one'),
      expecting({ toolResult: 'has not been read yet' }, say('Well.')),
    ],
    edits,
  );
  await prompt('look');
  await session.rewind({ to: await uuidOf(session, 'look'), what: 'conversation' });
  expect(await prompt('write')).toMatchObject({ text: 'Well.' });
  await session.close();
});

test("a person's own change is never overwritten silently; by force a copy is kept", async () => {
  const { at, session } = await threePrompts();
  writeFileSync(at.file('a.txt'), 'two, and mine');
  const to = await uuidOf(session, 'first');
  const refused = await session.rewind({ to, what: 'files' });
  expect(refused).toMatchObject({
    ok: true,
    value: {
      restored: [],
      removed: [at.file('new.txt')],
      refused: [{ path: at.file('a.txt'), needsForce: true }],
    },
  });
  expect(at.read('a.txt')).toBe('two, and mine');
  const forced = await session.rewind({ to, what: 'files', force: true });
  expect(at.read('a.txt')).toBe('zero');
  const [copy] = forced.ok ? forced.value.copies : [];
  expect(copy?.path).toBe(at.file('a.txt'));
  expect(readFileSync(copy?.copy ?? '', 'utf8')).toBe('two, and mine');
  await session.close();
});

test('what the shell did to files goes back, edited or not; what it did elsewhere is said to stay', async () => {
  const at = work({ 'a.txt': 'zero', 'other.txt': 'zero' });
  const { session, prompt } = await open(
    at,
    [
      call('Read', { file_path: 'a.txt' }),
      write('a.txt', 'one'),
      say('Done.'),
      call('Bash', { command: 'sed -i s/one/sed/ a.txt; echo more >> other.txt' }),
      say('Done.'),
      call('Bash', { command: 'rm a.txt' }),
      say('Done.'),
    ],
    edits,
  );
  for (const text of ['first', 'second', 'third']) await prompt(text);
  expect(await session.rewind({ to: await uuidOf(session, 'third'), what: 'files' })).toMatchObject({
    ok: true,
  });
  expect(at.read('a.txt')).toBe('sed\n'.trim());
  const report = await session.rewind({ to: await uuidOf(session, 'second'), what: 'files' });
  expect(at.read('a.txt')).toBe('one');
  expect(at.read('other.txt')).toBe('zero');
  expect(report).toMatchObject({
    ok: true,
    value: { beyond: [expect.stringContaining('2 shell commands ran since')] },
  });
  await session.close();
});

test('permissions that a command gave an edited file go back, and the file is named', async () => {
  const at = work();
  const { session, prompt } = await open(
    at,
    [
      write('run.sh', 'echo'),
      call('Bash', { command: 'chmod 755 run.sh' }),
      say('Done.'),
      call('Bash', { command: 'chmod 600 run.sh' }),
      say('Done.'),
    ],
    edits,
  );
  for (const text of ['first', 'second']) await prompt(text);
  expect((await pointsOf(session)).map(({ filesChanged }) => filesChanged)).toEqual([1, 1]);
  const report = await session.rewind({ to: await uuidOf(session, 'second'), what: 'files' });
  expect(report).toMatchObject({ ok: true, value: { restored: [at.file('run.sh')] } });
  expect(statSync(at.file('run.sh')).mode & 0o777).toBe(0o755);
  await session.close();
});

test('a file that a command made before its first edit goes', async () => {
  const at = work({ 'old.txt': 'old' });
  const { session, prompt } = await open(
    at,
    [
      call('Read', { file_path: 'old.txt' }),
      call('Bash', { command: 'echo made > made.txt' }),
      call('Read', { file_path: 'made.txt' }),
      write('made.txt', 'edited'),
      write('old.txt', 'edited'),
      say('Done.'),
    ],
    edits,
  );
  await prompt('go');
  const report = await session.rewind({ to: await uuidOf(session, 'go'), what: 'files' });
  expect([existsSync(at.file('made.txt')), at.read('old.txt')]).toEqual([false, 'old']);
  expect(report).toMatchObject({
    ok: true,
    value: { removed: [at.file('made.txt')], restored: [at.file('old.txt')] },
  });
  await session.close();
});

test('a command that waits for an answer, or was refused, is not said to have run', async () => {
  const { session, runs, events } = await open(work(), [call('Bash', { command: 'touch x' }), say('Well.')], {
    permissionMode: 'default',
    attended: true,
  });
  session.send({ type: 'prompt', content: 'go', uuid: 'p1' });
  const asked = () => events.find((event) => event.type === 'question_asked');
  while (!asked()) await new Promise((resolve) => setImmediate(resolve));
  const beyond = async () => {
    const preview = await session.previewRewind({ to: 'p1', what: 'both' });
    return preview.ok ? preview.value.beyond : [preview.problem.message];
  };
  expect(await beyond()).toEqual([]);
  const [waiting] = session.approvals.waiting();
  const answer = { behaviour: 'deny', message: 'no' } as const;
  session.send({ type: 'answer', questionId: waiting?.question.id ?? '', answer });
  await runs(1);
  expect(await beyond()).toEqual([]);
  await session.close();
});

test('edits of agents, in the foreground and in the background, go back too', async () => {
  const story = await openStory(
    {
      lead: [
        call('Agent', { description: 'd', prompt: 'do it here', subagent_type: 'general-purpose' }),
        call('Agent', {
          description: 'd',
          prompt: 'do it there',
          subagent_type: 'general-purpose',
          run_in_background: true,
        }),
        say('Started.'),
        say('Told.'),
      ],
      agents: {
        'do it here': [write('front.txt', 'front'), say('Front done.')],
        'do it there': [
          write('back.txt', 'back'),
          call('Bash', { command: 'echo more >> back.txt' }),
          say('Back done.'),
        ],
      },
    },
    edits,
  );
  await story.prompt('go');
  await story.session.finished(AbortSignal.timeout(20_000));
  const front = join(story.at.cwd, 'front.txt');
  const back = join(story.at.cwd, 'back.txt');
  expect(readFileSync(back, 'utf8')).toBe('backmore\n');
  const report = await story.session.rewind({ to: await uuidOf(story.session, 'go'), what: 'both' });
  expect(report).toMatchObject({
    ok: true,
    value: { removed: [front, back], beyond: [expect.stringContaining('1 shell command ran since')] },
  });
  expect([existsSync(front), existsSync(back)]).toEqual([false, false]);
  await story.session.close();
});

test('agents at work keep the session from going back, by name, unless they are to be stopped', async () => {
  const story = await openStory(
    {
      lead: [
        call('Agent', {
          ...{ description: 'd', prompt: 'take long', subagent_type: 'general-purpose' },
          ...{ run_in_background: true, name: 'slow' },
        }),
        say('Started.'),
        expecting({ userText: 'next' }, say('Next.')),
      ],
      agents: { 'take long': [hang()] },
    },
    edits,
  );
  await story.prompt('go');
  await prepared('take long');
  const wish = { to: await uuidOf(story.session, 'go'), what: 'both' } as const;
  expect(await story.session.rewind(wish)).toMatchObject({
    ok: false,
    problem: { kind: 'usage', message: expect.stringContaining('slow') },
  });
  expect(await story.session.rewind({ ...wish, stopAgents: true })).toMatchObject({ ok: true });
  expect(story.session.tasks()).toMatchObject([{ status: 'killed' }]);
  // Its end is of a call that was gone back behind: nothing runs because of it.
  await story.session.settled();
  await story.prompt('next');
  expect(JSON.stringify(story.leadRequests().at(-1)?.messages)).not.toContain('task-notification');
  await story.session.close();
});

test('commands in the background that were begun since are ended where that is wished; others go on, and are named', async () => {
  const background = (command: string) => call('Bash', { command, run_in_background: true });
  const { session, prompt } = await open(
    work(),
    [background('sleep 217'), say('Started.'), background('sleep 218'), say('Started.')],
    edits,
  );
  await prompt('first');
  const moment = Date.now();
  await until(() => Date.now() > moment);
  await prompt('second');
  const wish = { to: await uuidOf(session, 'second'), what: 'both' } as const;
  const [first, second] = session.tasks();
  expect(await session.previewRewind(wish)).toMatchObject({
    value: { ends: [], beyond: [expect.any(String), expect.stringMatching(/^Still running.*217.*218/)] },
  });
  const preview = await session.previewRewind({ ...wish, stopCommands: true });
  const report = await session.rewind({ ...wish, stopCommands: true });
  expect(report).toEqual(preview);
  expect(report).toMatchObject({
    value: { ends: [second?.id], beyond: [expect.any(String), expect.stringContaining('217).')] },
  });
  expect(session.tasks()).toMatchObject([
    { id: first?.id, status: 'running' },
    { id: second?.id, status: 'killed' },
  ]);
  await session.close();
});

test('where there is no such prompt nothing is ended', async () => {
  const { session, prompt } = await open(
    work(),
    [call('Bash', { command: 'sleep 217', run_in_background: true }), say('Started.')],
    edits,
  );
  await prompt('first');
  const wish = { to: 'nobody', what: 'both', stopAgents: true, stopCommands: true } as const;
  expect((await session.rewind(wish)).ok).toBe(false);
  expect(session.tasks()).toMatchObject([{ status: 'running' }]);
  await session.close();
});

test('while the agent is at work nothing goes back, unless its turn is to be stopped', async () => {
  const { session, runs } = await open(work(), [hang()], edits);
  session.send({ type: 'prompt', content: 'go', uuid: 'p1' });
  while ((await pointsOf(session)).length === 0) await new Promise((resolve) => setImmediate(resolve));
  const wish = { to: 'p1', what: 'both' } as const;
  expect(await session.rewind(wish)).toMatchObject({
    ok: false,
    problem: { message: 'The agent is working.' },
  });
  expect(await session.rewind({ ...wish, stop: true })).toMatchObject({ ok: true });
  expect(await runs(1)).toMatchObject([{ kind: 'interrupted' }]);
  await session.close();
});

test('a prompt that waits when the turn is stopped to go back is of the new conversation', async () => {
  const { session, model, events, runs } = await open(
    work(),
    [call('Bash', { command: 'sleep 60' }), say('Answered.')],
    { permissionMode: 'bypassPermissions' },
  );
  session.send({ type: 'prompt', content: 'go', uuid: 'p1' });
  while (!events.some((event) => event.type === 'tool_started')) await Bun.sleep(1);
  session.send({ type: 'prompt', content: 'and this' });
  expect(await session.rewind({ to: 'p1', what: 'both', stop: true })).toMatchObject({ ok: true });
  expect((await runs(2)).map(({ kind }) => kind)).toEqual(['interrupted', 'completed']);
  const order = events.flatMap(({ type }) =>
    type === 'run_started' || type === 'session_rewound' ? [type] : [],
  );
  expect(order).toEqual(['run_started', 'session_rewound', 'run_started']);
  expect(model.requests.at(-1)?.messages).toHaveLength(1);
  await session.close();
});

test('a prompt that comes while files are put back waits, and is of the new conversation', async () => {
  const { at, session, model, runs } = await threePrompts();
  const rewound = session.rewind({ to: await uuidOf(session, 'first'), what: 'both' });
  session.send({ type: 'prompt', content: 'again' });
  await rewound;
  await runs(4);
  expect(at.read('a.txt')).toBe('zero');
  expect(model.requests.at(-1)?.messages).toHaveLength(1);
  await session.close();
});

test('a prompt that there is not, and a session without a transcript, are refused in words', async () => {
  const { session } = await threePrompts();
  expect(await session.rewind({ to: 'nobody', what: 'both' })).toMatchObject({
    ok: false,
    problem: { kind: 'usage', message: expect.stringContaining('no prompt nobody') },
  });
  await session.close();
  const other = await open(work(), [say('Hi.')], { persist: false });
  await other.prompt('hi');
  expect(await other.session.checkpoints()).toMatchObject({
    ok: false,
    problem: { hint: expect.stringContaining('--no-session-persistence') },
  });
  await other.session.close();
});

test('a session in which nothing was said has no checkpoints', async () => {
  const { session } = await open(work(), []);
  expect(await pointsOf(session)).toEqual([]);
  await session.close();
});

test('a rewind to before a compaction brings the whole conversation back', async () => {
  const at = work();
  const { session, model, prompt, events } = await open(
    at,
    [
      say('One.'),
      say('Two.'),
      say('The summary.'),
      say('Three.'),
      expecting({ userText: 'other' }, say('Other.')),
    ],
    edits,
  );
  await prompt('first '.repeat(50).trim());
  await prompt('second');
  session.send({ type: 'compact' });
  while (!events.some((event) => event.type === 'conversation_compacted'))
    await new Promise((done) => setImmediate(done));
  await session.settled();
  await prompt('third');
  expect((await pointsOf(session)).map(({ text }) => text.slice(0, 6))).toEqual([
    'first ',
    'second',
    'third',
  ]);
  expect(await session.rewind({ to: await uuidOf(session, 'second'), what: 'conversation' })).toMatchObject({
    ok: true,
  });
  await prompt('other');
  const asked = JSON.stringify(model.requests.at(-1)?.messages);
  expect(asked).toContain('One.');
  expect(asked).not.toContain('summary');
  expect(asked).not.toContain('second');
  await session.close();
});

test('a fork can go back to prompts from before it, and says that files from before it stay', async () => {
  const { at, session } = await threePrompts();
  await session.close();
  const fork = await open(at, [say('Forked.')], { ...edits, resume: { from: 'latest' }, fork: true });
  await fork.prompt('in the fork');
  const report = await fork.session.rewind({ to: await uuidOf(fork.session, 'second'), what: 'both' });
  expect(report).toMatchObject({
    ok: true,
    value: { restored: [], beyond: [expect.stringContaining(`rewind session ${session.id}`)] },
  });
  await fork.session.close();
});

test("files in an agent's own worktree are left alone, and its branch is named", async () => {
  const at = work();
  writeFileSync(
    join(at.environment.HOME ?? '', '.gitconfig'),
    '[user]\n\tname = T\n\temail = t@example.invalid\n',
  );
  const git = 'git init -q . && git commit -q --allow-empty -m Start';
  spawnSync('sh', ['-c', git], {
    cwd: at.cwd,
    env: {
      ...at.environment,
      GIT_AUTHOR_NAME: 'T',
      GIT_AUTHOR_EMAIL: 't@example.invalid',
      GIT_COMMITTER_NAME: 'T',
      GIT_COMMITTER_EMAIL: 't@example.invalid',
    },
  });
  const apart = { description: 'Mend it', prompt: 'work apart', isolation: 'worktree' };
  const story = await openStory(
    {
      lead: [call('Agent', apart), say('Ok.')],
      agents: { 'work apart': [write('a.txt', 'one'), say('Done.')] },
    },
    edits,
    at,
  );
  await story.prompt('go');
  const report = await story.session.rewind({ to: await uuidOf(story.session, 'go'), what: 'both' });
  const path = report.ok ? report.value.refused[0]?.path : undefined;
  expect(report).toMatchObject({
    ok: true,
    value: {
      removed: [],
      refused: [
        {
          path: expect.stringContaining('.cadre/worktrees/'),
          reason: expect.stringContaining('branch cadre/'),
        },
      ],
    },
  });
  expect(readFileSync(path ?? '', 'utf8')).toBe('one');
  await story.session.close();
});

test('the todo list is again what it was', async () => {
  const at = work();
  const list = (content: string) => call('TodoWrite', { todos: [{ content, status: 'pending' }] });
  const { session, prompt, events } = await open(at, [list('one'), say('1'), list('two'), say('2')], edits);
  await prompt('first');
  await prompt('second');
  await session.rewind({ to: await uuidOf(session, 'second'), what: 'conversation' });
  expect(events.findLast((event) => event.type === 'todos_changed')).toMatchObject({
    todos: [{ content: 'one' }],
  });
  await session.close();
});

test('what a hook did to a file after an edit, such as to format it, goes back with the edit', async () => {
  const at = work({ 'a.txt': 'zero' });
  const settings = {
    hooks: {
      PostToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command: 'echo formatted >> a.txt' }] }],
    },
  };
  const { session, prompt } = await open(
    at,
    [call('Read', { file_path: 'a.txt' }), write('a.txt', 'one\n'), say('Done.')],
    { ...edits, settings: JSON.stringify(settings) },
  );
  await prompt('go');
  expect(at.read('a.txt')).toBe('one\nformatted\n');
  const report = await session.rewind({ to: await uuidOf(session, 'go'), what: 'both' });
  expect(report).toMatchObject({ ok: true, value: { restored: [at.file('a.txt')], refused: [] } });
  expect(at.read('a.txt')).toBe('zero');
  await session.close();
});

const specials = {
  'a pipe': 'mkfifo d',
  'a socket': `python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('d')"`,
};
for (const [what, make] of Object.entries(specials))
  for (const isRepository of [true, false])
    test(`a directory comes back where a command put ${what}, ${isRepository ? 'in a repository' : 'in none'}`, async () => {
      const at = work();
      mkdirSync(at.file('d/deep'), { recursive: true });
      for (const name of ['d/f', 'd/deep/g']) writeFileSync(at.file(name), name);
      if (isRepository) spawnSync('git', ['init', '-q'], { cwd: at.cwd });
      const command = call('Bash', { command: `rm -r d; ${make}` });
      const { session, prompt } = await open(at, [command, say('Done.')], { ...edits, sandbox: false });
      await prompt('first');
      expect(statSync(at.file('d')).isDirectory()).toBe(false);
      const report = await session.rewind({ to: await uuidOf(session, 'first'), what: 'files' });
      expect(report).toMatchObject({ ok: true, value: { refused: [] } });
      expect([at.read('d/f'), at.read('d/deep/g')]).toEqual(['d/f', 'd/deep/g']);
      const renamed = readdirSync(at.cwd).filter((name) => name.startsWith('d.removed-'));
      expect(report.ok && report.value.beyond.join()).toContain(renamed[0] ?? 'none was renamed');
      await session.close();
    });
