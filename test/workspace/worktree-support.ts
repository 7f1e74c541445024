import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { type TemporaryWorkspace, temporaryWorkspace } from '../../src/testing/temporary-workspace.ts';
import type { WorktreeOrder } from '../../src/workspace/worktrees/create.ts';
import type { WorktreeWorld } from '../../src/workspace/worktrees/repository.ts';
import { temporaryDirectory } from '../support/index.ts';

export interface Ground {
  repository: TemporaryWorkspace;
  home: string;
  world: WorktreeWorld;
  order(slug: string, more?: Partial<WorktreeOrder>): WorktreeOrder;
  /** The worktrees that git knows, but for the main one. */
  listed(): Promise<string[]>;
  branches(): Promise<string[]>;
}

export async function ground(
  files: Record<string, string> = { 'a.txt': 'one\ntwo\nthree\n' },
): Promise<Ground> {
  const repository = await temporaryWorkspace(files, { git: true });
  return groundAt(repository);
}

export function groundAt(repository: TemporaryWorkspace): Ground {
  const home = join(temporaryDirectory().path, 'home');
  mkdirSync(home);
  const lines = async (...args: string[]) =>
    (await repository.git(...args)).split('\n').filter((line) => line !== '');
  return {
    repository,
    home,
    world: {
      home,
      env: { PATH: process.env.PATH ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
      clock: manualClock(),
    },
    order: (slug, more) => ({
      cwd: repository.path,
      slug,
      session: 's',
      agentId: null,
      fill: { copyDirectories: [], linkDirectories: [], sandboxed: false },
      ...more,
    }),
    listed: async () =>
      (await lines('worktree', 'list', '--porcelain'))
        .filter((line) => line.startsWith('worktree '))
        .map((line) => line.slice('worktree '.length))
        .slice(1),
    branches: () => lines('for-each-ref', '--format=%(refname:short)', 'refs/heads/cadre'),
  };
}

/** Runs the helper process; its exit says whether it ended by itself. */
export function inProcess(
  ...args: string[]
): Promise<{ output: string; killed: boolean; code: number | null }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'worktree.script.ts'), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.once('close', (code, signal) =>
      resolve({ output: output.trim(), killed: signal === 'SIGKILL', code }),
    );
  });
}
