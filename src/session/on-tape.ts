import type { AgentWorktrees } from '../agents/worktrees.ts';
import { failure, ok, type Result } from '../lib/result.ts';
import type { SessionReel } from './open-reel.ts';

/** Does something to the world, under a name. */
export type Act = <T>(of: string, act: () => Promise<Result<T>>) => Promise<Result<T>>;

/**
 * What the harness itself does to the world, outside of tools: what came of it goes onto the tape, and a replay takes it
 * from there and does nothing.
 */
export function actOnTape(reel: SessionReel | undefined): Act {
  if (!reel) return (_, act) => act();
  return async (of, act) => {
    const text = await reel.look(of, async () => JSON.stringify(await act()));
    return text === undefined ? failure(`The tape does not say what came of: ${of}.`) : JSON.parse(text);
  };
}

export function worktreesOnTape(act: Act, worktrees: AgentWorktrees): AgentWorktrees {
  return {
    make: (agent) => act(`worktree for ${agent.agentId}`, () => worktrees.make(agent)),
    again: (agentId, before, signal) =>
      act(`worktree again for ${agentId}`, () => worktrees.again(agentId, before, signal)),
    async leave(record) {
      // Nothing is `null` in JSON.
      const left = await act(`worktree ${record.slug} left`, async () =>
        ok((await worktrees.leave(record)) ?? null),
      );
      return left.ok ? (left.value ?? undefined) : undefined;
    },
  };
}
