import { randomIds } from '../lib/ids.ts';
import { ok, type Result } from '../lib/result.ts';
import { createWorktree } from '../workspace/worktrees/create.ts';
import { discardWorktree } from '../workspace/worktrees/remove.ts';
import { bindGit } from '../workspace/worktrees/repository.ts';
import type { Gate, Ground } from './types.ts';

export interface Checked {
  passed: boolean;
  output: string;
}

export type LandingCheck = (commit: string) => Promise<Result<Checked>>;

/** Runs the gate on a commit, in a worktree that is made for it and removed afterwards. The same content is checked once. */
export function checker(gate: Gate, ground: Ground): LandingCheck {
  const known = new Map<string, Checked>();
  return async (commit) => {
    const tree = await bindGit(ground.world, ground.repository.top)(['rev-parse', `${commit}^{tree}`]);
    if (!tree.ok) return tree;
    const before = known.get(tree.value);
    if (before) return ok(before);
    const checked = await checkOne(commit, gate, ground);
    if (checked.ok) known.set(tree.value, checked.value);
    return checked;
  };
}

async function checkOne(
  commit: string,
  gate: Gate,
  { repository, world, fill }: Ground,
): Promise<Result<Checked>> {
  const order = {
    cwd: repository.top,
    slug: `landing-${randomIds.token(8).toLowerCase()}`,
    from: commit,
    session: 'landing',
    agentId: null,
    title: 'A check before landing',
    fill,
    scratch: true as const,
  };
  const made = await createWorktree(order, world);
  if (!made.ok) return made;
  try {
    world.step?.('checking');
    return ok(await gate.run(made.value.record.path));
  } finally {
    await discardWorktree(made.value.record, world);
  }
}
