import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, Question } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, calls, expecting, say, type Turn } from '../../src/testing/index.ts';
import { until } from '../support/index.ts';
import { type Opened, open, type Place, place } from './support.ts';

const bash = (command: string) => call('Bash', { command });
const behind = (command: string) => call('Bash', { command, run_in_background: true });
/** Longer than any test; the end of the session stops it. */
const long = 'sleep 10000';
/** As long, and not a command that is known to wait: nothing is ever written to this pipe. */
const endless = 'cat pipe';

/** A repository with the branch `evil`, on which `x.txt` and `w.txt` are links. */
function work(): Place {
  const at = place();
  for (const name of ['q', 'q2']) mkdirSync(join(at.cwd, name), { recursive: true });
  const git = (...args: string[]) => execFileSync('git', ['-C', at.cwd, ...args], { stdio: 'ignore' });
  const commit = (name: string) =>
    git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-qm', name);
  git('init', '-q', '-b', 'main');
  git('checkout', '-qb', 'evil');
  symlinkSync('/etc/passwd', join(at.cwd, 'x.txt'));
  symlinkSync('.git/hooks/pre-commit', join(at.cwd, 'w.txt'));
  git('add', '.');
  commit('evil');
  git('checkout', '-q', '--orphan', 'main');
  git('rm', '-rqf', '.');
  writeFileSync(join(at.cwd, 'x.txt'), 'plain\n');
  git('add', '.');
  commit('plain');
  for (const name of ['q', 'q2']) mkdirSync(join(at.cwd, name), { recursive: true });
  execFileSync('mkfifo', [join(at.cwd, 'pipe')]);
  return at;
}

const edits: SessionOptions = { permissionMode: 'acceptEdits' };
const withCheckout: SessionOptions = { ...edits, allowedTools: ['Bash(git checkout:*)'] };
const running = 'is still running, and one of the commands could change';

/** Runs one prompt to its end; the session is still open. */
async function play(
  at: Place,
  turns: Turn[],
  options: SessionOptions,
  answer?: Answer,
): Promise<Opened & { asked: Question[] }> {
  const asked: Question[] = [];
  const onQuestion = async (question: Question) => {
    asked.push(question);
    return answer ?? ({ behaviour: 'deny', message: 'no' } as const);
  };
  const opened = await open(at, turns, { ...options, ...(answer ? { onQuestion } : {}) });
  expect(await opened.prompt('Go')).toMatchObject({ kind: 'completed' });
  return { ...opened, asked };
}

const attacks: [string, SessionOptions, Turn, Turn][] = [
  [
    'a directory in which a command waits is moved to a protected place',
    edits,
    behind(`cd q && ${long} && mkdir workflows && echo evil > workflows/ci.yml`),
    bash('mv q .github'),
  ],
  [
    'a directory in which a command waits is moved to where a rule refuses a file',
    { ...edits, disallowedTools: ['Edit(locked/k.txt)'] },
    behind(`cd q2 && ${long} && echo evil > k.txt`),
    bash('mv q2 locked'),
  ],
  [
    'git brings a link where a command will read',
    { allowedTools: ['Bash(git checkout:*)'] },
    behind(`${long}; head -1 x.txt`),
    bash('git checkout -q evil'),
  ],
  [
    'git brings a link where a command will write',
    withCheckout,
    behind(`${long}; echo evil > w.txt`),
    bash('git checkout -q evil'),
  ],
  [
    'a file is written into a directory that a command will move to a protected place',
    edits,
    behind(`${endless}; mv q .github`),
    call('Write', { file_path: 'q/workflows/ci.yml', content: 'evil\n' }),
  ],
  [
    'git brings a link where a monitor will read',
    withCheckout,
    call('Monitor', { command: `${long}; head -1 x.txt`, description: 'Watch' }),
    bash('git checkout -q evil'),
  ],
  [
    'a monitor will read where a command brings links',
    withCheckout,
    behind(`${long}; git checkout -q evil`),
    call('Monitor', { command: 'head -1 x.txt', description: 'Watch' }),
  ],
];

for (const [what, options, first, second] of attacks)
  test(`PE9 ${what}: nothing is done where there is no user`, async () => {
    const at = work();
    const turns = [first, second, expecting({ toolResult: running }, say('Done.'))];
    const { session } = await play(at, turns, options);
    expect([existsSync(join(at.cwd, '.github')), existsSync(join(at.cwd, 'locked'))]).toEqual([false, false]);
    expect(execFileSync('git', ['-C', at.cwd, 'branch', '--show-current'], { encoding: 'utf8' })).toBe(
      'main\n',
    );
    expect(existsSync(join(at.cwd, 'q/workflows'))).toBe(false);
    await session.close();
  });

test('a user is asked, with the command that runs, and may allow it', async () => {
  const at = work();
  const turns = [behind(`cd q && ${long} && touch x`), bash('mv q q3'), say('Done.')];
  const { session, asked } = await play(at, turns, edits, { behaviour: 'allow' });
  expect(asked).toMatchObject([
    { toolName: 'Bash', suggestions: [], decision: { reason: expect.stringContaining(`"cd q && ${long}`) } },
  ]);
  expect(existsSync(join(at.cwd, 'q3'))).toBe(true);
  await session.close();
});

test('mode dontAsk denies it', async () => {
  const at = work();
  const turns = [
    behind(`${long}; head -1 x.txt`),
    bash('git checkout -q evil'),
    expecting({ toolResult: 'wait until it ends (TaskOutput) or stop it (TaskStop)' }, say('Done.')),
  ];
  const { session } = await play(at, turns, {
    permissionMode: 'dontAsk',
    allowedTools: ['Bash(git checkout:*)'],
  });
  await session.close();
});

test('a question that is asked anyway names the command that it may lead elsewhere', async () => {
  const at = work();
  const turns = [behind(`${long}; head -1 x.txt`), bash('git checkout -q evil'), say('Done.')];
  const { session, asked } = await play(at, turns, {}, { behaviour: 'deny', message: 'no' });
  expect(asked).toMatchObject([{ decision: { reason: expect.stringContaining(running) } }]);
  await session.close();
});

test('a command that the user moved to the background still counts', async () => {
  const at = work();
  const write = call('Write', { file_path: 'q/workflows/ci.yml', content: 'evil\n' });
  const turns = [bash(`${endless}; mv q .github`), write, expecting({ toolResult: running }, say('Done.'))];
  const { session, events, prompt } = await open(at, turns, edits);
  const done = prompt('Go');
  await until(() => events.some(({ type }) => type === 'tool_started'));
  await until(() => session.send({ type: 'background_tasks' }).ok);
  expect(await done).toMatchObject({ kind: 'completed' });
  await session.close();
});

test('what one agent started counts for another', async () => {
  const at = work();
  const turns = [
    behind(`cd q && ${long} && touch x`),
    call('Agent', { description: 'Move', prompt: 'Move it', run_in_background: false }),
    bash('mv q .github'),
    expecting({ toolResult: running }, say('It runs.')),
    say('Done.'),
  ];
  const { session } = await play(at, turns, edits);
  expect(existsSync(join(at.cwd, '.github'))).toBe(false);
  await session.close();
});

test('the end of a command frees the way', async () => {
  const at = work();
  const turns = [behind('cd q && touch x'), say('Waiting.'), bash('mv q q3'), say('Done.')];
  const { session, runs } = await open(at, turns, edits);
  session.send({ type: 'prompt', content: 'Go' });
  await runs(2);
  expect(existsSync(join(at.cwd, 'q3/x'))).toBe(true);
  await session.close();
});

test('a command that a person allowed is in nobody’s way', async () => {
  const at = work();
  const turns = [behind(`${long}; ./serve`), bash('cat *.txt'), bash('ls q'), say('Done.')];
  const { session, asked } = await play(at, turns, {}, { behaviour: 'allow' });
  expect(asked.map(({ summary }) => summary)).toEqual([`${long}; ./serve`]);
  await session.close();
});

test('nothing is asked about where the user asks for no questions', async () => {
  const at = work();
  const turns = [behind(`cd q && ${long} && touch x`), bash('mv q q3'), say('Done.')];
  const mode = { permissionMode: 'bypassPermissions', allowBypass: true } as SessionOptions;
  const everything = { ...edits, allowedTools: ['Bash'] };
  for (const options of [everything, mode]) {
    const here = options === mode ? work() : at;
    const { session } = await play(here, turns, options);
    expect(existsSync(join(here.cwd, 'q3'))).toBe(true);
    await session.close();
  }
});

test('everyday work beside a log that is followed, and a server that a rule allows', async () => {
  const at = work();
  writeFileSync(join(at.cwd, 'log'), '');
  const turns = [
    behind('tail -f log'),
    call('Monitor', { command: 'tail -f log | grep --line-buffered x', description: 'Watch' }),
    behind('./serve'),
    calls([call('Read', { file_path: 'x.txt' }), call('Grep', { pattern: 'plain' }), bash('cat *.txt')]),
    bash('grep -rn plain .'),
    bash('mkdir -p src && echo x > src/a.ts'),
    bash('mv src/a.ts src/b.ts && rm -r q2'),
    call('Write', { file_path: 'src/c.ts', content: 'c\n' }),
    bash('git status && git diff'),
    bash('git add -A'),
    say('Done.'),
  ];
  const allowedTools = ['Bash(./serve:*)', 'Bash(git add:*)'];
  writeFileSync(join(at.cwd, 'serve'), `#!/bin/sh\n${long}\n`, { mode: 0o755 });
  const { session, asked } = await play(
    at,
    turns,
    { ...edits, allowedTools },
    { behaviour: 'deny', message: 'no' },
  );
  expect(asked).toEqual([]);
  await session.close();
});
