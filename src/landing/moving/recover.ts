import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, sleep } from '../../lib/clock.ts';
import { holdFileLock } from '../../lib/files/file-lock.ts';
import { isSameProcess } from '../../lib/processes/mark.ts';
import { sweepMarked } from '../../lib/processes/process.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import type { WorktreeWorld } from '../../workspace/worktrees/repository.ts';
import { type Journal, journalPath, listJournals, readJournal, removeUnwritten } from './journal.ts';
import { settle } from './settle.ts';

/** A repository has one landing at a time, and no landing while an interrupted one is repaired. */
export function landingLock(common: string): string {
  return join(common, 'cadre-landing.lock');
}

const shortWaitMs = 1000;

/** Finishes or undoes changes to checkouts whose processes were killed. Returns messages for the user. */
export async function recoverLandings(world: WorktreeWorld): Promise<string[]> {
  const notices: string[] = [];
  removeUnwritten(world.home);
  for (const path of listJournals(world.home)) {
    const journal = readJournal(path);
    if (!journal) {
      notices.push(
        `${path} cannot be read: it may be from another version of Cadre. Remove it if the checkout is as you want it.`,
      );
      continue;
    }
    // Its repository does not exist now, or another process is working in it.
    if (!existsSync(journal.common) || (journal.owner.pid !== process.pid && isSameProcess(journal.owner)))
      continue;
    const held = await holdFileLock(landingLock(journal.common), world.clock, { waitMs: shortWaitMs });
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

/** The same for one repository, while the caller holds its landing lock. Fails as long as its checkout is incomplete. */
export async function recoverLanding(
  common: string,
  world: WorktreeWorld,
): Promise<Result<string | undefined>> {
  const path = journalPath(world.home, common);
  if (!existsSync(path)) return ok(undefined);
  const journal = readJournal(path);
  if (!journal)
    return failure(
      `${path} cannot be read: it may be from another version of Cadre.`,
      'Remove it if the checkout is as you want it.',
    );
  if (!(await endGit(journal, world.clock)))
    return failure(
      `A git process of the landing on ${journal.branch} in ${journal.top} is still running and cannot be stopped.`,
    );
  const settled = await settle(journal, world);
  if (settled.ok) return settled;
  return failure(
    `A landing on ${journal.branch} in ${journal.top} was interrupted and cannot be repaired yet: ${settled.problem.message}`,
    'Fix that, then start Cadre again or run cadre doctor --fix to complete the repair.',
  );
}

const pauses = [5, 10, 20, 50, 100, 200, 400, 800];

/** Processes started for it may have outlived it: they are ended before anything is read. */
async function endGit({ mark }: Journal, clock: Clock): Promise<boolean> {
  for (const pause of pauses) {
    if (sweepMarked(mark).length === 0) return true;
    await sleep(clock, pause);
  }
  return sweepMarked(mark).length === 0;
}
