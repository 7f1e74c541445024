import { existsSync } from 'node:fs';
import { randomIds } from '../../lib/ids.ts';
import { processMark } from '../../lib/processes/mark.ts';
import { ownerVariable } from '../../lib/processes/process.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { bindGit, type Git, type WorktreeWorld } from '../../workspace/worktrees/repository.ts';
import { locateCheckout } from '../checkouts.ts';
import { restoreObjects, withSealed } from '../sealed-store.ts';
import type { Target } from '../stack.ts';
import type { Ground } from '../types.ts';
import { readable } from './byte-path.ts';
import { type Journal, journalPath, locateStaging, readJournal, writeJournal } from './journal.ts';
import { placeFiles } from './place.ts';
import { describeMoved, type LandingRefusal, prepare } from './prepare.ts';
import { clearUp, commitCheckout, moveBranch, undoCheckout } from './replace.ts';

/**
 * Moves the target forward to a commit that has it as an ancestor. Where it is checked out the files follow; no local changes
 * are lost.
 */
export async function forward(
  target: Target,
  to: string,
  ground: Ground,
): Promise<Result<LandingRefusal | undefined>> {
  const { repository, world } = ground;
  const place = await locateCheckout(target.branch, ground);
  if (!place.ok) return place;
  const top = place.value;
  const piece = { from: target.commit, to };
  const refused = await withSealed(piece, ground, async (sealed) => {
    const moved =
      top === undefined
        ? await forwardBranch(target, to, sealed)
        : await forwardCheckout(top, target, to, sealed);
    if (!moved.ok || moved.value) return moved;
    const restored = await restoreObjects(piece, ground, sealed);
    return restored.ok ? moved : restored;
  });
  if (!refused.ok || refused.value) return refused;
  world.step?.('forwarded');
  // Worktrees are removed on the strength of this check.
  const git = bindGit(world, repository.top);
  const has = await git(['merge-base', '--is-ancestor', to, `refs/heads/${target.branch}`]);
  return has.ok ? ok(undefined) : failure(`${target.branch} does not contain the landed commit ${to}.`);
}

async function forwardBranch(
  target: Target,
  to: string,
  { repository, world }: Ground,
): Promise<Result<LandingRefusal | undefined>> {
  const { branch, commit: from } = target;
  const moved = await moveBranch({ branch, from, to }, bindGit(world, repository.top));
  return ok(moved.ok ? undefined : describeMoved(branch, `: ${moved.problem.message.replace(/\.$/, '')}`));
}

/** With a checkout: see `Journal` for what happens when this is interrupted. */
async function forwardCheckout(
  top: string,
  target: Target,
  to: string,
  { repository, world }: Ground,
): Promise<Result<LandingRefusal | undefined>> {
  if (!existsSync(top))
    return ok({
      reason: `${target.branch} is checked out in ${top}, which does not exist. If it is gone for good, remove the entry with git worktree prune`,
      files: [],
    });
  const id = randomIds.token(12).toLowerCase();
  const mark = `${world.env[ownerVariable] ?? 'cadre'}/landing-${id}`;
  const git = bindGit({ ...world, env: { ...world.env, [ownerVariable]: mark } }, top);
  const found = await git(['rev-parse', '--absolute-git-dir']);
  if (!found.ok) return found;
  const journal: Journal = {
    format: 3,
    id,
    top,
    gitDirectory: found.value.trimEnd(),
    common: repository.common,
    branch: target.branch,
    from: target.commit,
    to,
    owner: processMark(process.pid),
    mark,
    phase: 'preparing',
    files: [],
  };
  const written = writeJournal(world.home, journal);
  if (!written.ok) return written;
  world.step?.('preparing');
  const prepared = await prepare(journal, git, world);
  if (!prepared.ok || 'reason' in prepared.value) {
    const noted = readJournal(journalPath(world.home, repository.common)) ?? journal;
    const cleared = await clearUp(noted, world);
    return cleared.ok ? (prepared as Result<LandingRefusal>) : cleared;
  }
  return carryOut(prepared.value, git, world);
}

/** From here on the user's files are moved: in the end all of them, or none. */
async function carryOut(
  journal: Journal,
  git: Git,
  world: WorktreeWorld,
): Promise<Result<LandingRefusal | undefined>> {
  const step = (name: string) => world.step?.(name);
  const placed = await placeFiles({ ...journal, step }, true);
  const [foreign] = placed.ok ? placed.value : [];
  const done =
    placed.ok && foreign === undefined
      ? await commitCheckout(journal, git, step)
      : placed.ok
        ? failure(`${readable(foreign ?? '')} was changed at the same time`)
        : placed;
  if (done.ok) {
    const cleared = await clearUp(journal, world);
    return cleared.ok ? ok(undefined) : cleared;
  }
  const undone = await undoCheckout(journal);
  if (!undone.ok)
    return failure(
      `Landing on ${journal.branch} in ${journal.top} failed halfway (${done.problem.message}) and could not be undone yet: ` +
        `${undone.problem.message} The old files are in ${locateStaging(journal)}.`,
      'Fix that, then start Cadre again or run cadre doctor --fix to complete the repair.',
    );
  const cleared = await clearUp(journal, world);
  if (!cleared.ok) return cleared;
  return ok({
    reason: `${journal.branch} was not moved in ${journal.top}: ${done.problem.message.replace(/\.$/, '')}`,
    files: foreign === undefined ? [] : [readable(foreign)],
  });
}
