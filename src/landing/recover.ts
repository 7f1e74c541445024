import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, sleep } from '../lib/clock.ts';
import { holdFileLock } from '../lib/files/file-lock.ts';
import { isSameProcess } from '../lib/processes/mark.ts';
import { sweepMarked } from '../lib/processes/process.ts';
import { failure, ok, type Result } from '../lib/result.ts';
import type { WorktreeWorld } from '../workspace/worktrees/repository.ts';
import { type Journal, journalPath, listJournals, readJournal, removeUnwritten } from './journal.ts';
import { settle } from './settle.ts';

/** Two landings of one repository never happen at once, nor a landing and what mends one that was cut off. */
export function landingLock(common: string): string {
  return join(common, 'cadre-landing.lock');
}

const shortWaitMs = 1000;

/** Finishes or undoes what processes were doing to checkouts when they were killed. Says what the user should know. */
export async function recoverLandings(world: WorktreeWorld): Promise<string[]> {
  const notices: string[] = [];
  removeUnwritten(world.home);
  for (const path of listJournals(world.home)) {
    const journal = readJournal(path);
    if (!journal) {
      notices.push(
        `${path} cannot be read: it may be of another version of Cadre. Remove it if the checkout is as you want it.`,
      );
      continue;
    }
    // Of a repository that is not there now, or that another process is at work in.
    if (!existsSync(journal.common) || (journal.owner.pid !== process.pid && isSameProcess(journal.owner)))
      continue;
    const held = await holdFileLock(landingLock(journal.common), world.clock, shortWaitMs);
    if (!held.ok) continue;
    try {
      const settled = await recoverLanding(journal.common, world);
      if (!settled.ok) notices.push(settled.problem.message);
      else if (settled.value) notices.push(settled.value);
    } finally {
      held.value();
    }
  }
  return notices;
}

/** The same for one repository, by whoever holds the lock on landing there. Fails for as long as its checkout is not whole. */
export async function recoverLanding(
  common: string,
  world: WorktreeWorld,
): Promise<Result<string | undefined>> {
  const path = journalPath(world.home, common);
  if (!existsSync(path)) return ok(undefined);
  const journal = readJournal(path);
  if (!journal)
    return failure(
      `${path} cannot be read: it may be of another version of Cadre.`,
      'Remove it if the checkout is as you want it.',
    );
  if (!(await endGit(journal, world.clock)))
    return failure(
      `A git of the landing on ${journal.branch} in ${journal.top} still runs and cannot be ended.`,
    );
  const settled = await settle(journal, world);
  if (settled.ok) return settled;
  return failure(
    `A landing on ${journal.branch} in ${journal.top} was cut off, and cannot be mended yet: ${settled.problem.message}`,
    'Mend that; the next start of Cadre, or cadre doctor --fix, goes on from there.',
  );
}

const pauses = [5, 10, 20, 50, 100, 200, 400, 800];

/** What was started for it may have outlived it: it is ended before anything is looked at. */
async function endGit({ mark }: Journal, clock: Clock): Promise<boolean> {
  for (const pause of pauses) {
    if (sweepMarked(mark).length === 0) return true;
    await sleep(clock, pause);
  }
  return sweepMarked(mark).length === 0;
}
