import { breather } from '../../lib/breathe.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { Git, WorktreeWorld } from '../../workspace/worktrees/repository.ts';
import { describeUnfinished, findUnfinished } from '../../workspace/worktrees/unfinished.ts';
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
  /** The branch is elsewhere than when it was planned: what was found then may no longer be true. */
  isMoved?: true;
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
  if (moved.value) return ok(moved.value);
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
): Promise<Result<LandingRefusal | undefined>> {
  const begun = findUnfinished(gitDirectory);
  if (begun) return refuse(`${describeUnfinished(begun, undefined, ` in ${top}`)}; then land again`);
  const head = await git(['symbolic-ref', '--quiet', 'HEAD'], { alsoGood: [1] });
  if (!head.ok) return head;
  const tip = await git(['rev-parse', '--verify', `refs/heads/${branch}`]);
  if (!tip.ok) return tip;
  if (head.value.trim() === `refs/heads/${branch}` && tip.value.trim() === from) return ok(undefined);
  return ok(describeMoved(branch));
}

export function describeMoved(branch: string, detail = ''): LandingRefusal {
  return {
    reason: `${branch} was moved in the meantime${detail}`,
    files: [],
    hint: 'Land again.',
    isMoved: true,
  };
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

/** All of them: one that was left out would be in the way of the next try. */
export function explainObstacles(
  top: string,
  { uncommitted, foreign, unwritable }: Obstacles,
): LandingRefusal | undefined {
  const found = [
    {
      files: uncommitted,
      reason: 'uncommitted changes in files that landing would change',
      hint: 'Commit them or stash them (git stash)',
    },
    {
      files: foreign,
      reason: 'ignored or untracked files where landed files would be written',
      hint: 'Move or remove them',
    },
    { files: unwritable, reason: 'directories that are not writable', hint: 'Change their permissions' },
  ].filter(({ files }) => files.length > 0);
  if (found.length === 0) return undefined;
  const hints = found.map(({ hint }) => hint).join('. ');
  return {
    reason: `${top} has ${found.map(({ reason }) => reason).join(', and ')}`,
    files: found.flatMap(({ files }) => files),
    hint: `${hints}, then land again.`,
  };
}

function refuse(reason: string): Result<LandingRefusal> {
  return ok({ reason: reason.replace(/\.$/, ''), files: [] });
}
