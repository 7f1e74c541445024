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

lfsTest(
  'in an isolated worktree of an LFS repository git compares, adds and commits, and large files land as pointers',
  async () => {
    const at = repository();
    const env = { ...process.env, HOME: join(at.home, '..') };
    const lfs = (...args: string[]) => execFileSync('git', args, { cwd: at.cwd, env, stdio: 'pipe' });
    lfs('lfs', 'install', '--skip-repo');
    lfs('lfs', 'track', '*.bin');
    writeFileSync(join(at.cwd, 'old.bin'), 'old\n'.repeat(1000));
    lfs('add', '--all');
    lfs('commit', '--quiet', '--message=Large');
    const commands = [
      'touch old.bin; git status --porcelain && echo COMPARED',
      'echo more >> old.bin; seq 2000 > new.bin; git add -A && git commit -qm More && git status --porcelain && git log -1 --format=%s',
    ];
    const story = await openStory(
      {
        lead: [
          call('Agent', { description: 'Mend it', prompt: 'Work', isolation: 'worktree' }),
          call('Land', { action: 'land' }),
          say('Ok.'),
        ],
        agents: { Work: [...commands.map((command) => call('Bash', { command })), say('Done.')] },
      },
      { sandbox: true, onQuestion: async () => yes },
      at,
    );
    await story.prompt('Go');
    const blocks = story.requestsOf('Work').flatMap(({ messages }) => [...(messages.at(-1)?.content ?? [])]);
    const content = blocks.flatMap((block) =>
      block.type === 'tool_result' ? [textOf(block.content).trim()] : [],
    );
    expect(content, story.results().join('\n')).toEqual(['COMPARED', 'More']);
    expect(git(at.cwd, 'cat-file', 'blob', 'main:new.bin')).toStartWith('version https://git-lfs');
    expect(readFileSync(join(at.cwd, 'old.bin'), 'utf8')).toBe(`${'old\n'.repeat(1000)}more\n`);
    await story.session.close();
  },
  60_000,
);
