import { expect } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import { git, repository } from '../session/repository.ts';
import { needs } from '../support/index.ts';
import { openStory, quiet } from './support.ts';

const confinedTest = needs('bwrap');

for (const below of ['', 'packages/web'])
  confinedTest(
    `a confined command of the lead that ends ${below === '' ? '' : `in ${below} `}leaves worktrees and rules alone that were made while it ran, where .cadre did not exist`,
    async () => {
      const at = repository();
      const cwd = join(at.cwd, below);
      mkdirSync(cwd, { recursive: true });
      writeFileSync(join(cwd, 'b.txt'), 'two\n');
      git(at.cwd, 'add', '--all');
      git(at.cwd, 'commit', '--quiet', '--message=Below', '--allow-empty');
      const wait = 'touch begun; until [ -e go ]; do sleep 0.05; done; echo ended > end.txt';
      const apart = { description: 'Mend it', prompt: 'Work', isolation: 'worktree' };
      const story = await openStory(
        {
          lead: [
            call('Bash', { command: wait, run_in_background: true }),
            call('Agent', apart),
            say('Ok.'),
            say('Heard.'),
          ],
          agents: {
            Work: [call('Bash', { command: 'echo work > new.txt' }), say('Done.')],
          },
        },
        { sandbox: true, cwd, permissionMode: 'bypassPermissions', allowBypass: true },
        { ...at, cwd },
      );
      await story.prompt('Go');
      const { worktreePath = '' } = story.toolData()[1] as Record<string, string>;
      expect(existsSync(worktreePath)).toBe(true);
      mkdirSync(join(cwd, '.cadre'), { recursive: true });
      writeFileSync(join(cwd, '.cadre/settings.local.json'), '{}');
      writeFileSync(join(cwd, 'go'), '');
      await quiet(story);
      expect(readFileSync(join(cwd, 'end.txt'), 'utf8')).toBe('ended\n');
      expect(existsSync(join(cwd, '.cadre/settings.local.json'))).toBe(true);
      expect(readFileSync(join(worktreePath, below, 'new.txt'), 'utf8')).toBe('work\n');
      await story.session.close();
      expect(readFileSync(join(worktreePath, below, 'new.txt'), 'utf8')).toBe('work\n');
    },
    30_000,
  );
