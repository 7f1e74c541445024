import { isolatePermissions } from '../../agents/steps/place.ts';
import { asAgentWorktree } from '../../agents/worktrees.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import type { Entered, Exited, WorktreeDesk } from '../../modes/worktree-tools.ts';
import type { WorkingDirectory } from '../../protocol/index.ts';
import type { WorktreeStart } from '../../workspace/worktrees/create.ts';
import type { FillOptions } from '../../workspace/worktrees/fill.ts';
import { locateStand, type WorktreeRecord } from '../../workspace/worktrees/record.ts';
import type { WorktreeWorld } from '../../workspace/worktrees/repository.ts';
import { buildSlug } from '../../workspace/worktrees/slug.ts';
import { findStanding } from '../../workspace/worktrees/standing.ts';
import type { LeadPermissions } from '../permissions.ts';
import type { Act } from '../tape.ts';

export interface DeskOptions {
  world: WorktreeWorld;
  session: string;
  directory: WorkingDirectory;
  /** The session's own directory, which it is held to. */
  root: string;
  permissions: LeadPermissions;
  start: WorktreeStart;
  fill(): Promise<FillOptions>;
  /** A short suffix that no other worktree has. */
  token(): string;
  /** All changes to the disk go through this. */
  act: Act;
}

export interface SessionWorktree extends WorktreeDesk {
  /** The session ends: an unchanged worktree is removed, one with work in it stays. Reports where. */
  close(): Promise<string | undefined>;
}

/** Moves the lead into a worktree and back. */
export function createWorktreeDesk(options: DeskOptions, begun?: WorktreeRecord): SessionWorktree {
  const { world, session, directory, permissions, act } = options;
  let inside: { record: WorktreeRecord; before: string } | undefined;
  const settle = (record: WorktreeRecord) => {
    inside = { record, before: directory.current };
    permissions.isolate(isolatePermissions(asAgentWorktree(record)));
    directory.move(locateStand(record));
  };
  const leave = (before: string) => {
    permissions.isolate(undefined);
    directory.move(before);
    inside = undefined;
  };
  if (begun) settle(begun);
  return {
    async enter(wanted): Promise<Result<Entered>> {
      if (inside)
        return usage(
          `This session is already in the worktree ${inside.record.path}.`,
          'Leave that worktree first.',
        );
      const { root, start } = options;
      const order = { ...wanted, start, cwd: directory.current, root, session };
      const made = await act('worktree entered', async () =>
        openWorktree({ ...order, token: options.token(), isOwn: true }, await options.fill(), world),
      );
      if (!made.ok) return made;
      const { record, notes } = made.value;
      settle(record);
      return ok({ worktreePath: record.path, worktreeBranch: record.branch, notes });
    },
    async exit(action, discard): Promise<Result<Exited>> {
      if (!inside) return usage('This session is not in a worktree.', 'Nothing was changed.');
      const { record, before } = inside;
      const place = { originalCwd: before, worktreePath: record.path, worktreeBranch: record.branch };
      const done = await act('worktree exited', () =>
        action === 'keep' ? keepIt(record, world) : removeIt(record, discard, world),
      );
      if (!done.ok) return done;
      leave(before);
      return ok({ action, ...place, ...done.value });
    },
    async describeLoss() {
      if (!inside) return undefined;
      const { record } = inside;
      const { describeHoldings, countHoldings } = await import('../../workspace/worktrees/holdings.ts');
      return `${record.path}: ${describeHoldings(await countHoldings(record, world))}`;
    },
    async close() {
      if (!inside) return undefined;
      const { record } = inside;
      const left = await act('worktree closed', async () => {
        const { leaveWorktree } = await import('../../workspace/worktrees/worktree.ts');
        return leaveWorktree(record, world);
      });
      return left.ok && !left.value.kept ? undefined : record.path;
    },
  };
}

/** A new one, or an existing one by its name or path. */
export async function openWorktree(
  wanted: {
    name?: string | undefined;
    path?: string | undefined;
    cwd: string;
    root: string;
    session: string;
    token: string;
    start: WorktreeStart;
    /** A name is one of this session's, or a new one: an agent may not know that another session used it. */
    isOwn?: boolean;
  },
  fill: FillOptions,
  world: WorktreeWorld,
) {
  const { isInUse } = await import('../../workspace/worktrees/in-use.ts');
  const { listRecords } = await import('../../workspace/worktrees/record.ts');
  const { findRepository } = await import('../../workspace/worktrees/repository.ts');
  const { name, path, cwd, root, session, token } = wanted;
  const repository = await findRepository(cwd, world);
  if (!repository.ok) return repository;
  const known = listRecords(world.home, repository.value.common).find(
    (record) => record.slug === name || (path !== undefined && record.path === path),
  );
  if (path !== undefined && !known)
    return usage(`${path} is not a worktree of Cadre.`, 'Run cadre worktree list to see them.');
  if (known && isInUse(known, world.home))
    return usage(
      `The worktree ${known.slug} is in use (process ${known.owner?.pid}).`,
      'Choose another one.',
    );
  if (known && wanted.isOwn && path === undefined && known.session !== session)
    return usage(
      `The worktree ${known.slug} belongs to another session.`,
      `Choose another name; the user can continue in it with cadre --worktree ${known.slug}.`,
    );
  if (known) {
    const { enterAgain } = await import('../../workspace/worktrees/worktree.ts');
    const standing = findStanding({ cwd, root }, repository.value);
    return enterAgain({ ...known, ...standing, session }, fill, world);
  }
  const { createWorktree } = await import('../../workspace/worktrees/create.ts');
  const slug = name ?? buildSlug('', token);
  return createWorktree({ ...wanted.start, cwd, root, slug, session, agentId: null, fill }, world);
}

async function keepIt(record: WorktreeRecord, world: WorktreeWorld): Promise<Result<object>> {
  const { leaveWorktree } = await import('../../workspace/worktrees/worktree.ts');
  const left = await leaveWorktree({ ...record, keep: true }, world);
  return left.ok ? ok({}) : left;
}

async function removeIt(
  record: WorktreeRecord,
  discard: boolean,
  world: WorktreeWorld,
): Promise<Result<object>> {
  const { removeWorktree } = await import('../../workspace/worktrees/remove.ts');
  const { describeHoldings, countHoldings } = await import('../../workspace/worktrees/holdings.ts');
  const removed = await removeWorktree(record, { kind: 'unchanged' }, world);
  if (!removed.ok && !discard) return removed;
  if (removed.ok && removed.value.removed) return ok({});
  const held = await countHoldings(record, world);
  if (!discard)
    return usage(
      `The worktree ${record.path} contains ${describeHoldings(held)}; nothing was removed.`,
      'Keep it, or set discard_changes once the user has agreed.',
    );
  const gone = await removeWorktree(record, { kind: 'told' }, world);
  if (!gone.ok) return gone;
  if (!gone.value.removed) return usage(`The worktree ${record.path} was not removed: ${gone.value.reason}.`);
  return ok({ discardedFiles: held.files, discardedCommits: held.commits });
}
