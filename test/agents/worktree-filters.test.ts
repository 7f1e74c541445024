import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, textOf } from '../../src/protocol/index.ts';
import { call, say } from '../../src/testing/index.ts';
import { git, repository } from '../session/repository.ts';
import { needs } from '../support/index.ts';
import { openStory } from './support.ts';

needs('bwrap');
const lfsTest = needs('git-lfs');

const yes: Answer = { behaviour: 'allow' };

/** A repository with one large file, of a user who has Git LFS, or whose repository sets it up for itself. */
function large(isOwn: boolean) {
  const at = repository();
  const env = { ...process.env, HOME: join(at.home, '..') };
  const run = (...args: string[]) => execFileSync('git', args, { cwd: at.cwd, env, stdio: 'pipe' });
  run('lfs', 'install', ...(isOwn ? ['--local'] : ['--skip-repo']));
  run('lfs', 'track', '*.bin');
  writeFileSync(join(at.cwd, 'old.bin'), 'old\n'.repeat(1000));
  run('add', '--all');
  run('commit', '--quiet', '--message=Large');
  return at;
}

/** What the commands of an agent in its own worktree print. */
async function runApart(at: ReturnType<typeof repository>, commands: readonly string[], trust = false) {
  const story = await openStory(
    {
      lead: [
        call('Agent', { description: 'Mend it', prompt: 'Work', isolation: 'worktree' }),
        call('Land', { action: 'land' }),
        say('Ok.'),
      ],
      agents: { Work: [...commands.map((command) => call('Bash', { command })), say('Done.')] },
    },
    { sandbox: true, trust, onQuestion: async () => yes },
    at,
  );
  await story.prompt('Go');
  const blocks = story.requestsOf('Work').flatMap(({ messages }) => [...(messages.at(-1)?.content ?? [])]);
  const printed = blocks.flatMap((block) =>
    block.type === 'tool_result' ? [textOf(block.content).trim()] : [],
  );
  await story.session.close();
  return { printed, results: story.results() };
}

lfsTest(
  'commands that only look compare large files',
  async () => {
    const commands = ['echo old > old.bin', 'git status --porcelain', 'git diff --stat'];
    const { printed, results } = await runApart(large(false), commands);
    const changes = expect.stringContaining('1 file changed');
    expect(printed, results.join('\n')).toEqual(['(no output)', 'M old.bin', changes]);
  },
  60_000,
);

lfsTest(
  'in a worktree that is new no file of a filter of the repository seems changed',
  async () => {
    const { printed, results } = await runApart(
      large(true),
      ['git status --porcelain', 'git diff --stat'],
      true,
    );
    expect(printed, results.join('\n')).toEqual(['(no output)', '(no output)']);
  },
  60_000,
);

lfsTest(
  'in an isolated worktree of an LFS repository git compares, adds and commits, and large files land as pointers',
  async () => {
    const at = large(false);
    const commands = [
      'touch old.bin; git status --porcelain && echo COMPARED',
      'echo more >> old.bin; seq 2000 > new.bin; git add -A && git commit -qm More && git status --porcelain && git log -1 --format=%s',
    ];
    const { printed, results } = await runApart(at, commands);
    expect(printed, results.join('\n')).toEqual(['COMPARED', 'More']);
    expect(git(at.cwd, 'cat-file', 'blob', 'main:new.bin')).toStartWith('version https://git-lfs');
    expect(readFileSync(join(at.cwd, 'old.bin'), 'utf8')).toBe(`${'old\n'.repeat(1000)}more\n`);
  },
  60_000,
);
