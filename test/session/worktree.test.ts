import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCeiling } from '../../src/permissions/ceiling.ts';
import { decide } from '../../src/permissions/decide.ts';
import { exploreRole } from '../../src/permissions/roles.ts';
import type { Question } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, expecting, say, scriptedModel } from '../../src/testing/index.ts';
import { workspace as cases } from '../permissions/cases.ts';
import { git, repository } from './repository.ts';
import { open, place } from './support.ts';

const edits: SessionOptions = { permissionMode: 'acceptEdits' };

function answering(behaviour: 'allow' | 'deny'): {
  questions: Question[];
  onQuestion: NonNullable<SessionOptions['onQuestion']>;
} {
  const questions: Question[] = [];
  return {
    questions,
    async onQuestion(question) {
      questions.push(question);
      return behaviour === 'allow' ? { behaviour } : { behaviour, message: 'No.' };
    },
  };
}

test('EnterWorktree moves the session; the main checkout is closed to it until ExitWorktree', async () => {
  const at = repository();
  const path = join(at.cwd, '.cadre/worktrees/try');
  const { session, prompt } = await open(
    at,
    [
      call('EnterWorktree', { name: 'try' }),
      expecting({ toolResult: `now works in ${path}` }, call('Write', { file_path: 'b.txt', content: 'b' })),
      call('Write', { file_path: join(at.cwd, 'c.txt'), content: 'c' }),
      expecting({ toolResult: 'writes only there' }, call('ExitWorktree', { action: 'remove' })),
      expecting(
        { toolResult: 'contains 1 file changed, 1 line added, 0 removed (b.txt); 0 commits' },
        call('ExitWorktree', { action: 'keep' }),
      ),
      expecting({ toolResult: `is back in ${at.cwd}` }, call('Write', { file_path: 'd.txt', content: 'd' })),
      say('Done.'),
    ],
    edits,
  );
  expect((await prompt('Go')).kind).toBe('completed');
  expect(readFileSync(join(path, 'b.txt'), 'utf8')).toBe('b');
  expect(existsSync(join(at.cwd, 'c.txt'))).toBe(false);
  expect(existsSync(join(at.cwd, 'd.txt'))).toBe(true);
  await session.close();
  expect(existsSync(path)).toBe(true);
});

test.each<[string, SessionOptions, string]>([
  ['a session as Explore', { agent: 'Explore' }, 'There is no tool "EnterWorktree"'],
  ['dontAsk', { permissionMode: 'dontAsk' }, 'mode dontAsk denies changes that no rule allows'],
])('%s makes no worktree', async (_, options, refusal) => {
  const at = repository();
  const before = readFileSync(join(at.cwd, '.git/info/exclude'), 'utf8');
  const { session, prompt } = await open(
    at,
    [call('EnterWorktree', { name: 'try' }), expecting({ toolResult: refusal }, say('Done.'))],
    options,
  );
  expect((await prompt('Go')).kind).toBe('completed');
  if (options.agent)
    for (const name of ['EnterWorktree', 'ExitWorktree', 'Land'])
      expect(session.info().tools).not.toContain(name);
  await session.close();
  expect(git(at.cwd, 'branch', '--list', 'cadre/*')).toBe('');
  expect(readFileSync(join(at.cwd, '.git/info/exclude'), 'utf8')).toBe(before);
  expect(existsSync(join(at.cwd, '.cadre'))).toBe(false);
});

test('a rule lets dontAsk make one', async () => {
  const at = repository();
  const { session, prompt } = await open(
    at,
    [call('EnterWorktree', { name: 'try' }), expecting({ toolResult: 'now works in' }, say('Done.'))],
    { permissionMode: 'dontAsk', allowedTools: ['EnterWorktree'] },
  );
  expect((await prompt('Go')).kind).toBe('completed');
  await session.close();
});

test.each<[string, SessionOptions, boolean]>([
  ['no rule', {}, false],
  ['a rule for a file', { allowedTools: ['Edit(a.txt)'] }, false],
  ['a rule for another type', { allowedTools: ['Agent(Plan)'] }, false],
  ['EnterWorktree', { allowedTools: ['EnterWorktree'] }, true],
  ['Agent', { allowedTools: ['Agent'] }, true],
  ['a rule for the type', { allowedTools: ['Agent(general-purpose)'] }, true],
])('dontAsk makes a worktree for an agent only where a rule allows it: %s', async (_, options, isMade) => {
  const at = repository();
  const start = call('Agent', {
    ...{ description: 'd', prompt: 'x', isolation: 'worktree', subagent_type: 'general-purpose' },
  });
  const refusal = 'mode dontAsk denies changes that no rule allows';
  const { session, prompt, model } = await open(at, [start, say('Done.'), say('Done.'), say('Done.')], {
    permissionMode: 'dontAsk',
    ...options,
  });
  await prompt('Go');
  await session.close();
  expect(JSON.stringify(model.requests).includes(refusal)).toBe(!isMade);
  expect(existsSync(join(at.cwd, '.cadre'))).toBe(isMade);
});

test('an agent that only reads is refused what would change a worktree, whatever it was shown', () => {
  const workspace = { ...cases, cwd: '/repo' };
  const enter = {
    tool: 'EnterWorktree',
    accesses: [{ kind: 'none', changes: 'it creates a worktree' } as const],
  };
  const decision = decide(openCeiling, exploreRole, 'bypassPermissions', [], { ...enter, workspace });
  expect(decision).toMatchObject({ behaviour: 'deny', by: 'role' });
});

test('discarding is asked about, and counts what is lost', async () => {
  const at = repository();
  const { questions, onQuestion } = answering('allow');
  const { session, prompt, events } = await open(
    at,
    [
      call('EnterWorktree', {}),
      call('Write', { file_path: 'b.txt', content: 'b' }),
      call('ExitWorktree', { action: 'remove', discard_changes: true }),
      say('Done.'),
    ],
    { ...edits, onQuestion },
  );
  await prompt('Go');
  expect(questions.map(({ toolName }) => toolName)).toEqual(['ExitWorktree']);
  expect(questions[0]?.preview).toContain('1 file changed, 1 line added, 0 removed');
  expect(questions[0]?.risk.level).toBe('high');
  const data = events.flatMap((event) =>
    event.type === 'message_added' && event.toolData ? [event.toolData] : [],
  );
  expect(data.at(-1)).toMatchObject({
    action: 'remove',
    discardedFiles: 1,
    discardedCommits: 0,
    originalCwd: at.cwd,
  });
  expect(git(at.cwd, 'branch', '--list', 'cadre/*')).toBe('');
  await session.close();
});

test('a name that is none, a path that is no worktree of ours, and a second one are refused', async () => {
  const at = repository();
  const { session, prompt } = await open(at, [
    call('EnterWorktree', { name: '../evil' }),
    expecting({ toolResult: 'is not valid for a worktree' }, call('EnterWorktree', { path: '/etc' })),
    expecting({ toolResult: '/etc is not a worktree' }, call('ExitWorktree', { action: 'keep' })),
    expecting({ toolResult: 'not in a worktree' }, call('EnterWorktree', { name: 'a' })),
    call('EnterWorktree', { name: 'b' }),
    expecting({ toolResult: 'already' }, say('Done.')),
  ]);
  expect((await prompt('Go')).kind).toBe('completed');
  await session.close();
  expect(readdirSync(join(at.cwd, '.cadre/worktrees'))).toEqual([]);
});

test('--worktree begins there, tells the model so, and leaves nothing where nothing was done', async () => {
  const at = repository();
  const { session, prompt, model } = await open(at, [say('Hi.')], { worktree: 'mine' });
  await prompt('Go');
  expect(JSON.stringify(model.requests[0]?.system)).toContain(join(at.cwd, '.cadre/worktrees/mine'));
  await session.close();
  expect(git(at.cwd, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  const outside = place();
  mkdirSync(outside.cwd, { recursive: true });
  const refused = await openSession({
    cwd: outside.cwd,
    environment: outside.environment,
    model: scriptedModel([]),
    worktree: true,
  });
  expect(refused.ok ? '' : refused.problem.message).toContain('--worktree: ');
});

const agent = { description: 'Write it', prompt: 'Work', isolation: 'worktree', name: 'writer' };

test('Land brings the work of an agent to the branch once a person has agreed', async () => {
  const at = repository();
  const { questions, onQuestion } = answering('allow');
  const turns = [
    call('Agent', agent),
    call('Write', { file_path: 'new.txt', content: 'work\n' }),
    say('Written.'),
    call('Land', { action: 'forecast' }),
    expecting({ toolResult: '1 changed: new.txt' }, call('Land', { action: 'land', names: ['writer'] })),
    expecting({ toolResult: 'landed' }, say('Done.')),
  ];
  const { session, prompt } = await open(at, turns, { ...edits, onQuestion });
  expect((await prompt('Go')).kind).toBe('completed');
  expect(questions.map(({ toolName }) => toolName)).toEqual(['Land']);
  expect(git(at.cwd, 'log', '--format=%s')).toBe('Write it\nStart\n');
  expect(git(at.cwd, 'status', '--porcelain')).toBe('');
  expect(git(at.cwd, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  await session.close();
});

test('Land changes nothing where nobody agrees, and in plan mode; a rule can agree beforehand', async () => {
  for (const [options, lands] of [
    [{ ...edits, onQuestion: answering('deny').onQuestion }, false],
    [{ ...edits }, false],
    [{ ...edits, allowedTools: ['Land'] }, true],
  ] as [SessionOptions, boolean][]) {
    const at = repository();
    const turns = [
      call('Agent', agent),
      call('Write', { file_path: 'new.txt', content: 'work\n' }),
      say('Written.'),
      call('Land', { action: 'land' }),
      say('Done.'),
    ];
    const { session, prompt } = await open(at, turns, options);
    await prompt('Go');
    expect(existsSync(join(at.cwd, 'new.txt'))).toBe(lands);
    await session.close();
  }
  const at = repository();
  const { session, prompt } = await open(
    at,
    [call('Land', { action: 'land' }), expecting({ toolResult: 'is not allowed' }, say('Ok.'))],
    {
      permissionMode: 'plan',
      allowedTools: ['Land'],
    },
  );
  expect((await prompt('Go')).kind).toBe('completed');
  await session.close();
});
