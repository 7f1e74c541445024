import { breather } from '../lib/breathe.ts';
import { ok, type Result } from '../lib/result.ts';
import type { Git, WorktreeWorld } from '../workspace/worktrees/repository.ts';
import { describeUnfinished, findUnfinished } from '../workspace/worktrees/unfinished.ts';
import { type BytePath, encodeBytePath, readFileIdentity } from './byte-path.ts';
import { type Change, changesBetween } from './changes.ts';
import { inTheWay, type Obstacles } from './in-the-way.ts';
import { lockIndex } from './index-lock.ts';
import { type Journal, locateStaging, writeJournal } from './journal.ts';
import { ownIndex } from './replace.ts';
import { copyBeside, stageFiles } from './stage.ts';

export interface LandingRefusal {
  reason: string;
  files: string[];
  /** The next step for the user. */
  hint?: string;
}

/** Everything that can fail before any of the user's files is touched. The result is recorded before it is used. */
export async function prepare(
  journal: Journal,
  git: Git,
  world: WorktreeWorld,
): Promise<Result<LandingRefusal | Journal>> {
  const locked = await lockIndex(journal, world.clock);
  if (!locked.ok) return refuse(locked.problem.message);
  world.step?.('locked');
  const moved = await whyNotThere(journal, git);
  if (!moved.ok) return moved;
  if (moved.value) return refuse(moved.value);
  const changes = await changesBetween(git, journal.from, journal.to);
  if (!changes.ok) return changes;
  // Taken before git compares them, so that later writes are detected.
  const was = await readIdentities(journal.top, changes.value);
  const index = readFileIdentity(encodeBytePath(ownIndex(journal)));
  const obstacles = await inTheWay(journal.top, changes.value, git, locateStaging(journal));
  if (!obstacles.ok) return obstacles;
  const refusal = explainObstacles(journal.top, obstacles.value);
  if (refusal) return ok(refusal);
  const staged = await stageFiles(journal, changes.value, was, git);
  if (!staged.ok) return refuse(`its files cannot be written: ${staged.problem.message}`);
  world.step?.('staged');
  const isFar = staged.value.some(({ beside }) => beside !== undefined);
  const noted = isFar ? writeJournal(world.home, { ...journal, files: staged.value }) : ok(undefined);
  if (!noted.ok) return noted;
  const near = await copyBeside(journal, staged.value);
  if (!near.ok) return refuse(`its files cannot be written: ${near.problem.message}`);
  const ready: Journal = {
    ...journal,
    phase: 'placing',
    files: near.value,
    ...(index === undefined ? {} : { index }),
  };
  const written = writeJournal(world.home, ready);
  if (!written.ok) return written;
  world.step?.('journaled');
  return ok(ready);
}

/** The user may have switched or committed between our look and our lock, or be in the middle of a merge. */
async function whyNotThere(
  { top, gitDirectory, branch, from }: Journal,
  git: Git,
): Promise<Result<string | undefined>> {
  const begun = findUnfinished(gitDirectory);
  if (begun) return ok(`${describeUnfinished(begun, undefined, ` in ${top}`)}; then land again`);
  const head = await git(['symbolic-ref', '--quiet', 'HEAD'], { alsoGood: [1] });
  if (!head.ok) return head;
  const tip = await git(['rev-parse', '--verify', `refs/heads/${branch}`]);
  if (!tip.ok) return tip;
  if (head.value.trim() === `refs/heads/${branch}` && tip.value.trim() === from) return ok(undefined);
  return ok(`${branch} was moved in the meantime`);
}

async function readIdentities(top: string, changes: readonly Change[]): Promise<Map<BytePath, string>> {
  const found = new Map<BytePath, string>();
  const breathe = breather();
  for (const { path, old } of changes) {
    const identity = old ? readFileIdentity(`${encodeBytePath(top)}/${path}`) : undefined;
    if (identity !== undefined) found.set(path, identity);
    await breathe();
  }
  return found;
}

export function explainObstacles(
  top: string,
  { uncommitted, foreign, unwritable }: Obstacles,
): LandingRefusal | undefined {
  if (uncommitted.length > 0)
    return {
      reason: `${top} has uncommitted changes in files that landing would change`,
      files: uncommitted,
      hint: 'Commit them or stash them (git stash), then land again.',
    };
  if (foreign.length > 0)
    return {
      reason: `${top} has ignored or untracked files where landed files would be written`,
      files: foreign,
      hint: 'Move or remove them, then land again.',
    };
  return unwritable.length > 0
    ? { reason: 'these directories are not writable', files: unwritable }
    : undefined;
}

function refuse(reason: string): Result<LandingRefusal> {
  return ok({ reason: reason.replace(/\.$/, ''), files: [] });
}
