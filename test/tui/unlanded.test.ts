import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, say } from '../../src/testing/index.ts';
import type { Place } from '../cli/support.ts';
import { needs } from '../support/index.ts';
import { newPlace, seen, withScreen } from './support.ts';

const tmuxTest = needs('tmux');

function prepare({ cwd }: Place): void {
  writeFileSync(join(cwd, 'a.txt'), 'one\n');
  for (const args of [
    ['init', '--quiet', '--initial-branch=main'],
    ['config', 'user.name', 'T'],
    ['config', 'user.email', 't@example.invalid'],
    ['add', '--all'],
    ['commit', '--quiet', '--message=Start'],
  ])
    expect(spawnSync('git', args, { cwd }).status).toBe(0);
}

const notLanded = /Not landed: mender-\w+\. Review it with/;

tmuxTest(
  'work that a kill left in a worktree is named when the session is resumed, and when it is left',
  async () => {
    const place = newPlace();
    const apart = { description: 'Mend', prompt: 'Work', name: 'mender', isolation: 'worktree' };
    await withScreen(
      [
        call('Agent', apart),
        call('Write', { file_path: 'new.txt', content: 'x\n' }),
        call('Bash', { command: 'sleep 600' }),
      ],
      async (screen) => {
        await seen(screen, 'sleep 600');
        for (const pid of screen.children()) process.kill(pid, 'SIGKILL');
        await seen(screen, 'exit code');
      },
      { place, prepare, flags: ['--allowedTools', 'Bash', '--', 'go'] },
    );
    await withScreen(
      [say('Unused.')],
      async (screen) => {
        await seen(screen, notLanded);
        screen.press('C-c');
        await seen(screen, 'ctrl-c again to quit');
        screen.press('C-c');
        const end = await seen(screen, 'exit code 0');
        expect(end.match(new RegExp(notLanded, 'g'))).toHaveLength(2);
      },
      { place, flags: ['--continue'] },
    );
  },
);
