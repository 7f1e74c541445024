import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensurePrivateDirectory, writeAtomic } from '../lib/atomic.ts';
import { type ProcessMark, processMark } from '../lib/process-mark.ts';
import { ok, type Result } from '../lib/result.ts';
import { gitIn } from '../workspace/worktree-repository.ts';
import { checkoutOf } from './checkouts.ts';
import { uncommittedFiles } from './forecast.ts';
import type { Target } from './stack.ts';
import type { Ground } from './types.ts';

/** What is being done to a checkout of the user's, written before it is begun: the next start finishes what a crash cut off. */
export interface Journal {
  format: 1;
  top: string;
  branch: string;
  from: string;
  to: string;
  owner: ProcessMark;
}

export interface Refusal {
  reason: string;
  files: string[];
}

/** Moves the target on to a commit that has it as an ancestor. Where it is checked out the files follow; nobody's changes are lost. */
export async function forward(
  target: Target,
  to: string,
  ground: Ground,
): Promise<Result<Refusal | undefined>> {
  const { repository, world } = ground;
  const place = await checkoutOf(target.branch, ground);
  if (!place.ok) return place;
  if (place.value === undefined) {
    const ref = `refs/heads/${target.branch}`;
    const moved = await gitIn(
      world,
      repository.top,
    )(['update-ref', '-m', 'cadre: land', ref, to, target.commit]);
    if (!moved.ok)
      return ok({ reason: `${target.branch} was moved meanwhile: ${moved.problem.message}`, files: [] });
    world.step?.('forwarded');
    return ok(undefined);
  }
  return forwardCheckout(place.value, target, to, ground);
}

async function forwardCheckout(
  top: string,
  target: Target,
  to: string,
  ground: Ground,
): Promise<Result<Refusal | undefined>> {
  const { repository, world } = ground;
  const git = gitIn(world, top);
  const dirty = await uncommittedFiles(ground, top);
  if (!dirty.ok) return dirty;
  const changed = await git(['diff', '--name-only', '-z', '--no-renames', target.commit, to, '--']);
  if (!changed.ok) return changed;
  const paths = new Set(changed.value.split('\0'));
  const files = dirty.value.filter((path) => paths.has(path));
  if (files.length > 0)
    return ok({ reason: `${top} has uncommitted changes in files that would be changed`, files });
  const journal = journalPath(world.home, repository.common);
  const noted = writeJournal(journal, {
    format: 1,
    top,
    branch: target.branch,
    from: target.commit,
    to,
    owner: processMark(process.pid),
  });
  if (!noted.ok) return noted;
  world.step?.('journaled');
  const merged = await git(['merge', '--ff-only', '--quiet', to]);
  world.step?.('forwarded');
  rmSync(journal, { force: true });
  if (merged.ok) return ok(undefined);
  return ok({
    reason: `git does not move ${target.branch} on in ${top}: ${merged.problem.message}`,
    files: [],
  });
}

export function journalPath(home: string, common: string): string {
  return join(home, 'landing', `${createHash('sha256').update(common).digest('hex').slice(0, 16)}.json`);
}

function writeJournal(path: string, journal: Journal): Result<void> {
  const made = ensurePrivateDirectory(dirname(path));
  return made.ok ? writeAtomic(path, `${JSON.stringify(journal)}\n`) : made;
}
