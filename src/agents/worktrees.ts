import type { Result } from '../lib/result.ts';
import { escapeHarnessTags, remind } from '../lib/text/harness-tags.ts';
import type { AgentWorktree, KeptWorktree } from '../protocol/index.ts';
import type { NewWorktree, WorktreeOrder, WorktreeStart } from '../workspace/worktrees/create.ts';
import type { FillOptions } from '../workspace/worktrees/fill.ts';
import type { WorktreeRecord } from '../workspace/worktrees/record.ts';
import type { WorktreeWorld } from '../workspace/worktrees/repository.ts';
import { buildSlug } from '../workspace/worktrees/slug.ts';
import type { WorktreeEnd } from '../workspace/worktrees/worktree.ts';

/** An agent that is to have a worktree. */
export interface Settler {
  agentId: string;
  /** Its address, or else what it is to do: what the worktree is named after. */
  name?: string | undefined;
  description: string;
  /** Where its parent works. */
  cwd: string;
  /** Whoever waits for it. */
  signal: AbortSignal;
}

/** The worktrees of a session's agents. */
export interface AgentWorktrees {
  make(agent: Settler): Promise<Result<NewWorktree>>;
  /** The same one again, made anew where it was removed. */
  again(agentId: string, before: AgentWorktree, signal: AbortSignal): Promise<Result<NewWorktree>>;
  /** Its work is over: what was left there, or nothing where it was removed. */
  leave(record: WorktreeRecord): Promise<KeptWorktree | undefined>;
}

export interface WorktreesOptions {
  world: WorktreeWorld;
  session: string;
  start: WorktreeStart;
  /** Asked when one is made: whether commands are confined decides what is linked. */
  fill(): Promise<FillOptions>;
}

export function agentWorktrees({ world, session, start, fill }: WorktreesOptions): AgentWorktrees {
  return {
    async make({ agentId, name, description, cwd, signal }) {
      const { createWorktree } = await import('../workspace/worktrees/create.ts');
      const order: WorktreeOrder = {
        ...{ ...start, cwd, session, agentId, title: description },
        // The id makes it one of a kind, also where twenty agents have the same task.
        slug: buildSlug(name ?? description, agentId.slice(-6).toLowerCase()),
        ...(name === undefined ? {} : { agentName: name }),
        fill: { ...(await fill()), signal },
      };
      return createWorktree(order, world);
    },
    async again(agentId, before, signal) {
      const { enterAgain } = await import('../workspace/worktrees/worktree.ts');
      return enterAgain({ ...before, format: 1, session, agentId }, { ...(await fill()), signal }, world);
    },
    async leave(record) {
      const { leaveWorktree } = await import('../workspace/worktrees/worktree.ts');
      const { describeDiffstat } = await import('../workspace/worktrees/changes.ts');
      const left = await leaveWorktree(record, world);
      const end = left.ok ? left.value : unknownEnd(record);
      if (!end.kept) return undefined;
      const { path, branch, diffstat, obstacle } = end;
      const hindered = obstacle === undefined ? '' : `; it cannot land as it is: ${obstacle}`;
      const described = `${describeDiffstat(diffstat)}${hindered}`;
      return { name: record.slug, path, branch, files: diffstat.files, diffstat: described };
    },
  };
}

/** What could not be looked at is there. */
function unknownEnd({ path, branch }: WorktreeRecord): WorktreeEnd {
  return { kept: true, path, branch, diffstat: { files: [], added: 0, removed: 0 } };
}

/** What an agent's transcript keeps of its worktree. */
export function asAgentWorktree(record: WorktreeRecord): AgentWorktree {
  const { slug, path, branch, base, common, main, createdAt } = record;
  return { slug, path, branch, base, common, main, createdAt };
}

/** What an agent that inherits another's view of things must know of where it is now. */
export function placeNote({ path, main, branch }: AgentWorktree): string {
  const text =
    `You work in a git worktree of your own, ${path}, on the branch ${branch}: a copy of the repository. ` +
    `Paths below ${main} are the main checkout, which you can read and not write; use the same files below your worktree.`;
  return remind(escapeHarnessTags(text));
}
