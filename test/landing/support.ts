import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Dropped, drop, planDrop } from '../../src/landing/drop.ts';
import { shellGate } from '../../src/landing/gate.ts';
import { land } from '../../src/landing/land.ts';
import type { Ground as LandingGround, LandReport } from '../../src/landing/types.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Result } from '../../src/lib/result.ts';
import type { TemporaryWorkspace } from '../../src/testing/temporary-workspace.ts';
import { createWorktree, type WorktreeOrder } from '../../src/workspace/worktrees/create.ts';
import type { WorktreeRecord } from '../../src/workspace/worktrees/record.ts';
import { findRepository } from '../../src/workspace/worktrees/repository.ts';
import { leaveWorktree } from '../../src/workspace/worktrees/worktree.ts';
import { type Ground, ground, groundAt } from '../workspace/worktree-support.ts';

export interface Field extends Ground {
  landing: LandingGround;
  /** A worktree in which these files were written, left as an agent leaves it. */
  work(
    slug: string,
    files: Record<string, string>,
    more?: {
      commit?: string;
      agentId?: string;
      agentName?: string;
      session?: string;
      title?: string;
      start?: WorktreeOrder['started'];
    },
  ): Promise<WorktreeRecord>;
}

export const yes = async () => true;

export async function field(files?: Record<string, string>, gate?: string): Promise<Field> {
  return fieldOf(await ground(files), undefined, gate);
}

/** In a repository that is there; `cwd` is where the work is asked for. */
export function fieldAt(workspace: TemporaryWorkspace, cwd?: string): Promise<Field> {
  return fieldOf(groundAt(workspace), cwd);
}

async function fieldOf(at: Ground, cwd = at.repository.path, gate?: string): Promise<Field> {
  await at.repository.git('config', 'user.name', 'User');
  await at.repository.git('config', 'user.email', 'user@example.invalid');
  const repository = await findRepository(cwd, at.world);
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
    async work(slug, written, { commit, agentId = null, agentName, session, title, start } = {}) {
      const made = await createWorktree(
        at.order(slug, {
          cwd,
          agentId,
          ...(agentName ? { agentName } : {}),
          ...(session ? { session } : {}),
          ...(title ? { title } : {}),
          ...(start ? { started: start } : {}),
        }),
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

export function expectOk<T>(result: Result<T>): T {
  if (!result.ok) throw new Error([result.problem.message, result.problem.hint].join(' '));
  return result.value;
}

export async function landAll(at: Field, names?: string[]): Promise<LandReport> {
  return expectOk(await land(at.landing, { agree: yes, ...(names ? { names } : {}) }));
}

/** Why one was not landed. */
export function reasonOf({ landings }: LandReport, slug: string): string {
  const found = landings.find(({ name }) => name === slug);
  return found?.status === 'failed' ? found.reason : `it is ${found?.status}`;
}

/** The user's files that kept one from landing, and why. */
export function blockedBy({ landings }: LandReport): { files?: string[]; reason?: string } {
  const found = landings.find(({ status }) => status === 'blocked');
  return found?.status === 'blocked' ? found : {};
}

/** For what ends badly on purpose. */
export async function quietly(doing: Promise<unknown>): Promise<void> {
  await doing.catch(() => undefined);
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

export async function dropAll(at: Field, names: string[]): Promise<Dropped[]> {
  return drop(at.landing, expectOk(await planDrop(at.landing, names)));
}
