import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomic } from '../../lib/files/atomic.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { bindGit, type Git, type WorktreeWorld } from '../../workspace/worktrees/repository.ts';
import { type BytePath, encodeBytePath, readable, readEntryKind, readFileIdentity } from './byte-path.ts';
import { differing, isSubmodule, type Side } from './changes.ts';
import { isLockOurs, lockIndex, unlockIndex } from './index-lock.ts';
import { type Journal, locateStaging, removeJournal } from './journal.ts';
import { asidePath, type KnownFiles, placeFiles } from './place.ts';
import { clearUp, commitCheckout, isIndexReplaced, ownIndex, undoCheckout } from './replace.ts';

/**
 * Brings a checkout whose process was killed during a landing to the old or the new state. The user had agreed to the new
 * one, so that is preferred. Files that are neither were written since and are left as they are.
 */
export async function settle(journal: Journal, world: WorktreeWorld): Promise<Result<string | undefined>> {
  if (!existsSync(journal.top)) return ok(undefined);
  if (journal.phase === 'preparing') return finished(await clearUp(journal, world));
  const git = bindGit(world, journal.top);
  const head = await git(['symbolic-ref', '--quiet', 'HEAD'], { alsoGood: [1] });
  if (!head.ok) return head;
  const found = await git(['rev-parse', '--verify', `refs/heads/${journal.branch}`]);
  if (!found.ok) return found;
  const tip = found.value.trim();
  if (tip === journal.to) return finished(await clearUp(journal, world));
  if (tip !== journal.from || head.value.trim() !== `refs/heads/${journal.branch}`)
    return handOver(journal, world);
  return isIndexReplaced(journal) ? moveOn(journal, git, world) : goOneWay(journal, git, world);
}

/** All files and the index are in place; only the branch is not. */
async function moveOn(journal: Journal, git: Git, world: WorktreeWorld): Promise<Result<string | undefined>> {
  if (!isLockOurs(journal)) return handOver(journal, world);
  const done = await commitCheckout(journal, git);
  if (done.ok) return finished(await clearUp(journal, world), saidFinished(journal, []));
  return goBack(journal, git, world);
}

async function goOneWay(
  journal: Journal,
  git: Git,
  world: WorktreeWorld,
): Promise<Result<string | undefined>> {
  const locked = await lockIndex(journal, world.clock);
  if (!locked.ok) return locked;
  const looks = await lookAt(journal, git);
  if (!looks.ok) return looks;
  const isBegun = journal.files.some(
    (file, number) =>
      looks.value.new.has(file.path) || readEntryKind(asidePath(journal, file, number)) !== undefined,
  );
  if (!isBegun) return finished(await clearUp(journal, world));
  const sameIndex = readFileIdentity(encodeBytePath(ownIndex(journal))) === journal.index;
  if (!sameIndex || hasOldEdits(journal, looks.value)) return goBack(journal, git, world);
  const placed = await placeFiles({ ...journal, looks: looks.value, ...pickStep(world) }, false);
  if (!placed.ok) return goBack(journal, git, world);
  const checked = await check(journal, 'new', placed.value, git);
  if (!checked.ok) return goBack(journal, git, world);
  const done = await commitCheckout(journal, git, world.step);
  if (!done.ok) return goBack(journal, git, world);
  return finished(await clearUp(journal, world), saidFinished(journal, placed.value));
}

/** The user has since changed a file that was still the old one: with the new ones around it, it would undo what landed. */
function hasOldEdits(journal: Journal, looks: KnownFiles): boolean {
  return journal.files.some((file, number) => {
    const isKnown = looks.old.has(file.path) || looks.new.has(file.path);
    const isMoved = file.old === undefined || readEntryKind(asidePath(journal, file, number)) !== undefined;
    return !isKnown && !isMoved;
  });
}

async function goBack(journal: Journal, git: Git, world: WorktreeWorld): Promise<Result<string | undefined>> {
  const looks = await lookAt(journal, git);
  if (!looks.ok) return looks;
  const undone = await undoCheckout(journal, looks.value);
  if (!undone.ok) return undone;
  const checked = await check(journal, 'old', undone.value, git);
  if (!checked.ok) return checked;
  const left = named(undone.value, 'was changed since then and was not touched');
  return finished(
    await clearUp(journal, world),
    `A landing on ${journal.branch} in ${journal.top} was interrupted and has been undone. Land again.${left}`,
  );
}

/** The user has moved the branch or the checkout since: the files that were moved aside are kept for the user to review. */
function handOver(journal: Journal, { home }: WorktreeWorld): Result<string | undefined> {
  const staging = locateStaging(journal);
  unlockIndex(journal);
  const kept = `${staging}-kept`;
  const written = existsSync(staging)
    ? writeAtomic(join(staging, 'journal.json'), `${JSON.stringify(journal)}\n`)
    : ok(undefined);
  if (!written.ok) return written;
  if (existsSync(staging)) renameSync(staging, kept);
  removeJournal(home, journal.common);
  return ok(
    `A landing on ${journal.branch} in ${journal.top} was interrupted, and the checkout was moved since: nothing was touched. ` +
      `git status shows what is left of it; the replaced files and the journal are in ${kept}.`,
  );
}

/** Which files are old and which are new, by content. */
async function lookAt(journal: Journal, git: Git): Promise<Result<KnownFiles>> {
  const seen = new Map(
    journal.files.flatMap(({ path }) => {
      const identity = readFileIdentity(`${encodeBytePath(journal.top)}/${path}`);
      return identity === undefined ? [] : [[path, identity] as const];
    }),
  );
  const like = async (which: 'old' | 'new'): Promise<Result<Map<BytePath, string>>> => {
    const sides = journal.files.flatMap(({ path, [which]: side }) =>
      side && !isSubmodule(side) && seen.has(path) ? [{ path, side }] : [],
    );
    const others = await differing(sides, git, locateStaging(journal));
    if (!others.ok) return others;
    const alike = sides.filter(({ path }) => !others.value.has(path));
    return ok(new Map(alike.map(({ path }) => [path, seen.get(path) ?? ''])));
  };
  const old = await like('old');
  if (!old.ok) return old;
  const after = await like('new');
  return after.ok ? ok({ old: old.value, new: after.value }) : after;
}

/** Nothing is deleted before this check. */
async function check(
  journal: Journal,
  which: 'old' | 'new',
  left: readonly BytePath[],
  git: Git,
): Promise<Result<void>> {
  const sides = journal.files.flatMap(({ path, [which]: side }): { path: BytePath; side: Side }[] =>
    side && !isSubmodule(side) && !left.includes(path) ? [{ path, side }] : [],
  );
  const others = await differing(sides, git, locateStaging(journal));
  if (!others.ok) return others;
  if (others.value.size === 0) return ok(undefined);
  return failure(
    `${[...others.value].map(readable).join(', ')}: neither the old nor the new version of the file.`,
  );
}

function pickStep({ step }: WorktreeWorld): Pick<WorktreeWorld, 'step'> {
  return step ? { step } : {};
}

function saidFinished({ branch, top }: Journal, left: readonly BytePath[]): string {
  return `A landing on ${branch} in ${top} was interrupted and has been finished.${named(left, 'was changed since then and was not touched')}`;
}

function named(paths: readonly BytePath[], what: string): string {
  return paths.map((path) => ` ${readable(path)} ${what}.`).join('');
}

function finished(cleared: Result<void>, notice?: string): Result<string | undefined> {
  return cleared.ok ? ok(notice) : cleared;
}
