import { timestamp } from '../lib/clock.ts';
import { ok, type Result } from '../lib/result.ts';
import type { AgentWorktree, KeptWorktree } from '../protocol/index.ts';
import type { NewWorktree, WorktreeOrder, WorktreeStart } from '../workspace/worktrees/create.ts';
import type { FillOptions } from '../workspace/worktrees/fill.ts';
import type { WorktreeRecord } from '../workspace/worktrees/record.ts';
import type { WorktreeWorld } from '../workspace/worktrees/repository.ts';
import { buildSlug } from '../workspace/worktrees/slug.ts';
import type { WorktreeEnd } from '../workspace/worktrees/worktree.ts';

/** An agent that needs a worktree. */
export interface Settler {
  agentId: string;
  /** Its address, or else its task: the worktree is named after it. */
  name?: string | undefined;
  description: string;
  /** The worktree that it gets a scratch copy of, by its name or that of its agent. */
  copyOf?: string | undefined;
  /** The commit that its work began from, where it has done it elsewhere; `carries`: with uncommitted changes of the user. */
  from?: { commit: string; carries: boolean } | undefined;
  /** Where its parent works. */
  cwd: string;
  /** The directory that its parent is held to. */
  root: string;
  /** Ends the wait for it. */
  signal: AbortSignal;
}

/** An agent that continues in the worktree that it had. */
export type Returner = Pick<Settler, 'agentId' | 'name' | 'description' | 'signal'>;

/** The worktrees of a session's agents. */
export interface AgentWorktrees {
  make(agent: Settler): Promise<Result<NewWorktree>>;
  /** The same one again, made again if it was removed. */
  again(agent: Returner, before: AgentWorktree): Promise<Result<NewWorktree>>;
  /** Its work is over: what was left there, or nothing if it was removed. */
  leave(record: WorktreeRecord): Promise<KeptWorktree | undefined>;
}

export interface WorktreesOptions {
  world: WorktreeWorld;
  session: string;
  start: WorktreeStart;
  /** Called when one is made: what is linked depends on whether commands are confined. */
  fill(): Promise<FillOptions>;
}

export function agentWorktrees({ world, session, start, fill }: WorktreesOptions): AgentWorktrees {
  let count = 0;
  return {
    async make({ agentId, name, description, copyOf, from, cwd, root, signal }) {
      // Before anything is waited for: those of one message are made at the same time, and land in the order of their calls.
      const started = { at: timestamp(world.clock), ordinal: ++count };
      const { createWorktree } = await import('../workspace/worktrees/create.ts');
      const copy = copyOf === undefined ? undefined : await orderCopy(copyOf, { cwd, session }, world);
      if (copy && !copy.ok) return copy;
      const order: WorktreeOrder = {
        ...(copy?.value ?? { ...(from ? startFrom(from) : start), cwd, root }),
        session,
        started,
        agentId,
        title: description,
        // The id makes it unique, even if twenty agents have the same task.
        slug: buildSlug(name ?? description, agentId.slice(-6).toLowerCase()),
        ...(name === undefined ? {} : { agentName: name }),
        fill: { ...(from ? withoutSetup(await fill()) : await fill()), signal },
      };
      return createWorktree(order, world);
    },
    async again({ agentId, name, description, signal }, before) {
      const owner = {
        session,
        agentId,
        title: description,
        ...(name === undefined ? {} : { agentName: name }),
      };
      const filling = { ...(await fill()), signal };
      if (before.copyOf !== undefined) {
        const { copyAgain } = await import('../workspace/worktrees/scratch.ts');
        return copyAgain(before, { ...owner, slug: before.slug, fill: filling }, world);
      }
      const { enterAgain } = await import('../workspace/worktrees/worktree.ts');
      return enterAgain({ ...before, ...owner, format: 1 }, filling, world);
    },
    async leave(record) {
      const { leaveWorktree } = await import('../workspace/worktrees/worktree.ts');
      const left = await leaveWorktree(record, world);
      const end = left.ok ? left.value : unknownEnd(record);
      return end.kept && !record.scratch ? describeKept(record.slug, end) : undefined;
    },
  };
}

function startFrom({ commit, carries }: NonNullable<Settler['from']>): WorktreeStart & { carries?: true } {
  return { from: commit, ...(carries ? { carries } : {}) };
}

/** It was prepared where the work was done. */
function withoutSetup({ setUp: _, ...rest }: FillOptions): FillOptions {
  return rest;
}

/** What an agent left in its worktree, for the agent that started it. */
export async function describeKept(
  name: string,
  { path, branch, diffstat, obstacle }: Extract<WorktreeEnd, { kept: true }>,
): Promise<KeptWorktree> {
  const { describeDiffstat } = await import('../workspace/worktrees/changes.ts');
  const hindered = obstacle === undefined ? '' : `; it cannot be landed as it is: ${obstacle}`;
  const described = `${describeDiffstat(diffstat)}${hindered}`;
  return { name, path, branch, files: diffstat.files, diffstat: described };
}

async function orderCopy(word: string, at: { cwd: string; session: string }, world: WorktreeWorld) {
  const { describeCopy, findCopied } = await import('../workspace/worktrees/scratch.ts');
  const found = await findCopied(word, at, world);
  return found.ok ? ok(describeCopy(found.value)) : found;
}

/** A worktree that could not be checked is assumed to exist. */
function unknownEnd({ path, branch }: WorktreeRecord): WorktreeEnd {
  return { kept: true, path, branch, diffstat: { files: [], added: 0, removed: 0 } };
}

/** The fields of its worktree that an agent's transcript keeps. */
export function asAgentWorktree(record: WorktreeRecord): AgentWorktree {
  const { slug, path, branch, base, common, main, starts, createdAt, stands, workspace, copyOf } = record;
  return {
    slug,
    path,
    branch,
    base,
    common,
    main,
    ...(starts ? { starts } : {}),
    createdAt,
    stands,
    workspace,
    copyOf,
  };
}

/** For every agent that works apart: where it is, and how its work gets from there to the others. */
export function describePlace({ path, main, branch, copyOf }: AgentWorktree): string {
  if (copyOf !== undefined)
    return (
      `You work in ${path}: a scratch copy of all that is in the worktree ${copyOf} now, committed or not, to try it. ` +
      `Commands and tests may write here; nothing of it is kept, and nothing that you change reaches the work itself. ` +
      `Paths below ${main} are the main checkout, which does not have that work. Report what you ran and saw, and what should change.`
    );
  return (
    `You work in your own git worktree, ${path}, on the branch ${branch}: a copy of the repository. ` +
    `Paths below ${main} are the main checkout, which you can read but not write; use the same files below your worktree. ` +
    'Your changes, committed or not, stay here until the agent that started you lands them: leave them in the files, do not merge or push them elsewhere, and finish any merge or rebase that you begin.'
  );
}
