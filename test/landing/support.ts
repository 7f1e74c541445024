import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellGate } from '../../src/landing/gate.ts';
import type { Ground as LandingGround, LandReport } from '../../src/landing/types.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { leaveWorktree } from '../../src/workspace/worktree.ts';
import { createWorktree } from '../../src/workspace/worktree-create.ts';
import type { WorktreeRecord } from '../../src/workspace/worktree-record.ts';
import { findRepository } from '../../src/workspace/worktree-repository.ts';
import { type Ground, ground } from '../workspace/worktree-support.ts';

export interface Field extends Ground {
  landing: LandingGround;
  /** A worktree in which these files were written, left as an agent leaves it. */
  work(
    slug: string,
    files: Record<string, string>,
    more?: { commit?: string; agentId?: string; agentName?: string },
  ): Promise<WorktreeRecord>;
}

export const yes = async () => true;

export async function field(files?: Record<string, string>, gate?: string): Promise<Field> {
  const at = await ground(files);
  await at.repository.git('config', 'user.name', 'User');
  await at.repository.git('config', 'user.email', 'user@example.invalid');
  const repository = await findRepository(at.repository.path, at.world);
  if (!repository.ok) throw new Error(repository.problem.message);
  const world = { ...at.world, clock: systemClock };
  const landing: LandingGround = {
    repository: repository.value,
    world,
    fill: at.order('x').fill,
    ...(gate === undefined
      ? {}
      : { gate: shellGate({ command: gate, env: world.env, clock: systemClock, rules: [] }) }),
  };
  return {
    ...at,
    landing,
    async work(slug, written, { commit, agentId = null, agentName } = {}) {
      const made = await createWorktree(
        at.order(slug, { agentId, ...(agentName ? { agentName } : {}) }),
        world,
      );
      if (!made.ok) throw new Error(made.problem.message);
      const { record } = made.value;
      for (const [name, text] of Object.entries(written)) writeFileSync(join(record.path, name), text);
      if (commit !== undefined) {
        await at.repository.git('-C', record.path, 'add', '--all');
        await at.repository.git('-C', record.path, 'commit', '--quiet', `--message=${commit}`);
      }
      await leaveWorktree(record, world);
      return { ...record, owner: null };
    },
  };
}

export function states({ landings }: LandReport): Record<string, string> {
  return Object.fromEntries(landings.map(({ name, status }) => [name, status]));
}

export function landInProcess(
  repository: string,
  home: string,
  stop: string,
  gate = '',
): Promise<{ killed: boolean }> {
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'land.script.ts'), repository, home, stop, gate],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    );
    child.once('close', (_, signal) => resolve({ killed: signal === 'SIGKILL' }));
  });
}
