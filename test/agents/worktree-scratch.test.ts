import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '../../src/protocol/index.ts';
import { call, say } from '../../src/testing/index.ts';
import { git, repository } from '../session/repository.ts';
import { ended, openStory, quiet, type Story } from './support.ts';

const apart = { description: 'Mend it', prompt: 'Work', isolation: 'worktree', name: 'mender' };
const verify = { description: 'Try it', prompt: 'Verify', worktree: 'mender' };

function lastResult(story: Story, prompt: string): string {
  const content = story.requestsOf(prompt).at(-1)?.messages.at(-1)?.content ?? [];
  return content.flatMap((block) => (block.type === 'tool_result' ? [textOf(block.content)] : [])).join('\n');
}

test('WT6 a worker verifies unlanded work in a scratch copy, where it may write; nothing of it stays or lands', async () => {
  const at = repository();
  const story = await openStory(
    {
      lead: [call('Agent', apart), call('Agent', verify), call('Land', { action: 'list' }), say('Done.')],
      agents: {
        Work: [call('Write', { file_path: 'new.txt', content: 'work\n' }), say('Done.')],
        Verify: [
          call('Read', { file_path: 'new.txt' }),
          call('Write', { file_path: 'trial.txt', content: 'trial\n' }),
          call('Bash', { command: 'git rev-parse --show-toplevel; ls' }),
          say('It holds.'),
        ],
      },
    },
    { allowedTools: ['Bash'] },
    at,
  );
  await story.prompt('Go');
  expect(lastResult(story, 'Verify')).toContain('/.cadre/worktrees/try-it-');
  expect(lastResult(story, 'Verify')).toContain('new.txt\ntrial.txt');
  const [work, tried] = story.toolData() as Record<string, string>[];
  expect(tried?.worktreePath).toBeUndefined();
  expect(existsSync(join(work?.worktreePath ?? '', 'trial.txt'))).toBe(false);
  expect(readdirSync(join(at.cwd, '.cadre/worktrees'))).toHaveLength(1);
  expect(git(at.cwd, 'branch', '--list', 'cadre/try-it*')).toBe('');
  expect(story.results()[1]).toMatch(
    /\[Its scratch copy of the worktree mender-\w+ was removed with all that it wrote there\.\]/,
  );
  expect(story.results()[1]).not.toContain('changed nothing');
  expect(story.results()[2]).toContain('mender');
  expect(story.results()[2]).not.toContain('try-it');
  const told = JSON.stringify(story.requestsOf('Verify')[0]);
  expect(told).toContain('a scratch copy of all that is in the worktree mender-');
  await story.session.close();
});

test('WT6 in the background the notification says that the scratch copy was removed', async () => {
  const at = repository();
  const story = await openStory(
    {
      lead: [
        call('Agent', apart),
        call('Agent', { ...verify, run_in_background: true }),
        say('Started.'),
        say('Done.'),
      ],
      agents: {
        Work: [call('Write', { file_path: 'new.txt', content: 'work\n' }), say('Done.')],
        Verify: [say('It holds.')],
      },
    },
    {},
    at,
  );
  await story.prompt('Go');
  await quiet(story);
  expect(JSON.stringify(story.leadRequests().at(-1)?.messages)).toMatch(
    /<scratch-copy>Its scratch copy of the worktree mender-\w+ was removed with all that it wrote there\.<\/scratch-copy>/,
  );
  await story.session.close();
});

test('whoever is asked about edits in the workspace is not asked about a scratch copy', async () => {
  const at = repository();
  const asked: string[] = [];
  const story = await openStory(
    {
      lead: [call('Agent', apart), call('Agent', verify), say('Done.')],
      agents: {
        Work: [call('Write', { file_path: 'new.txt', content: 'work\n' }), say('Done.')],
        Verify: [call('Write', { file_path: 'trial.txt', content: 'x\n' }), say('It holds.')],
      },
    },
    {
      settings: '{"agents": {"permissionMode": "ask"}}',
      onQuestion: async ({ summary }) => {
        asked.push(summary);
        return { behaviour: 'allow' };
      },
    },
    at,
  );
  await story.prompt('Go');
  expect(asked).toEqual([]);
  await story.session.close();
});

test('a copy of a worktree that does not exist is refused in the words of the call', async () => {
  const at = repository();
  const hire = call('Agent', { ...verify, worktree: 'nosuch' });
  const story = await openStory({ lead: [hire, say('Done.')], agents: {} }, {}, at);
  await story.prompt('Go');
  expect(story.results()[0]).toStartWith('worktree: There is no worktree "nosuch" of this session.');
  expect(story.results()[0]).not.toContain('isolation');
  await story.session.close();
});

test('in plan mode a copy is refused in the words of the call', async () => {
  const at = repository();
  const story = await openStory(
    { lead: [call('Agent', verify), say('Done.')], agents: {} },
    { permissionMode: 'plan' },
    at,
  );
  await story.prompt('Go');
  expect(story.results()[0]).toContain(
    'worktree: no scratch copy can be made here. In plan mode nothing may be changed',
  );
  expect(story.results()[0]).not.toContain('isolation');
  await story.session.close();
});

test('WT6 a verifier that is written to again sees what is in the worktree by then', async () => {
  const at = repository();
  const story = await openStory(
    {
      lead: [
        call('Agent', apart),
        call('Agent', { ...verify, name: 'verifier' }),
        say('Waits.'),
        call('SendMessage', { to: 'verifier', message: 'Look again' }),
        say('Sent.'),
        say('Done.'),
      ],
      agents: {
        Work: [call('Write', { file_path: 'new.txt', content: 'work\n' }), say('Done.')],
        Verify: [
          call('Read', { file_path: 'new.txt' }),
          say('Not good.'),
          call('Read', { file_path: 'fixed.txt' }),
          say('Good.'),
        ],
      },
    },
    {},
    at,
  );
  await story.prompt('Go');
  const [work] = story.toolData() as Record<string, string>[];
  writeFileSync(join(work?.worktreePath ?? '', 'fixed.txt'), 'fixed now\n');
  const done = ended(story);
  await story.prompt('Again');
  await done;
  expect(lastResult(story, 'Verify')).toContain('fixed now');
  expect(readFileSync(join(work?.worktreePath ?? '', 'fixed.txt'), 'utf8')).toBe('fixed now\n');
  await story.session.close();
});

test('WT6 a worktree that is not there is refused by name, with those that are', async () => {
  const at = repository();
  const story = await openStory(
    {
      lead: [call('Agent', apart), call('Agent', { ...verify, worktree: 'nobody' }), say('Done.')],
      agents: { Work: [call('Write', { file_path: 'new.txt', content: 'work\n' }), say('Done.')] },
    },
    {},
    at,
  );
  await story.prompt('Go');
  expect(story.results()[1]).toContain('There is no worktree "nobody" of this session. Available: mender-');
  await story.session.close();
});

test('WT6 what a scratch copy cannot have is told to its agent and to whoever started it', async () => {
  const at = repository();
  const make = [
    'git init -q apart',
    'cd apart && echo a > a.txt && git add a.txt && git commit -qm Apart && cd ..',
  ];
  const story = await openStory(
    {
      lead: [call('Agent', apart), call('Agent', verify), say('Done.')],
      agents: {
        Work: [...make.map((command) => call('Bash', { command })), say('Done.')],
        Verify: [say('Not all is here.')],
      },
    },
    { allowedTools: ['Bash'] },
    at,
  );
  await story.prompt('Go');
  const gap = 'apart is a repository of its own and is not in this copy as it is in the worktree';
  expect(story.results()[1]).toContain(gap);
  expect(JSON.stringify(story.requestsOf('Verify')[0])).toContain(gap);
  await story.session.close();
});

test('WT10 an agent works in a worktree that the setup command has prepared; a failure is told to whoever started it', async () => {
  const at = repository();
  const setup = 'if [ -e ../../../broken ]; then echo no; exit 1; else echo ready > prepared.txt; fi';
  const story = await openStory(
    {
      lead: [
        call('Agent', apart),
        call('Agent', { ...apart, name: 'other', prompt: 'Second' }),
        say('Done.'),
      ],
      agents: {
        Work: [call('Read', { file_path: 'prepared.txt' }), say('Done.')],
      },
    },
    { settings: JSON.stringify({ worktree: { setup } }) },
    at,
  );
  await story.prompt('Go');
  expect(JSON.stringify(story.requestsOf('Work')[1])).toContain('ready');
  await story.session.close();
  writeFileSync(join(at.cwd, 'broken'), '');
  const again = await openStory(
    { lead: [call('Agent', apart), say('Done.')], agents: { Work: [say('Done.')] } },
    { settings: JSON.stringify({ worktree: { setup } }) },
    at,
  );
  await again.prompt('Go');
  expect(again.results()[0]).toContain('The setup command (worktree.setup: ');
  expect(again.results()[0]).toContain('failed:\nno');
  await again.session.close();
});
