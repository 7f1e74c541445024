import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import { listNames } from '../../lib/files/list-names.ts';
import { claimLease } from '../../lib/leases/claim-lease.ts';
import { findKeeper } from '../../lib/leases/keeper.ts';
import type { Machine } from '../../lib/machine.ts';
import { failure, ok, type Result, usage } from '../../lib/result.ts';
import { createLayout } from '../../store/layout.ts';
import { isWithin } from '../../workspace/paths.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';

export interface WorkDirectory {
  readonly path: string;
  /** Where jobs have their files. */
  readonly jobs: string;
  release(): void;
}

const leaseName = 'worker';
/** Workers of one user on one machine. */
const maxWorkers = 100;

/**
 * A directory of this worker alone. It is the same for each worker of a machine in turn, and on machines that are set up alike, so
 * that the paths in the conversation of a job that another worker continues stay what they were.
 */
export function claimWorkDirectory(
  given: string | undefined,
  { home, userHome, machine, clock }: { home: string; userHome: string; machine: Machine; clock: Clock },
): Result<WorkDirectory> {
  const first = given ?? join(userHome, '.cadre-worker');
  if (isWithin(resolveRealPath(first), home))
    return usage(
      `${first} is inside ${home}, where agents may not write.`,
      'Choose another one with --directory.',
    );
  for (let count = 1; count <= maxWorkers; count++) {
    const path = count === 1 ? first : `${first}-${count}`;
    const made = ensurePrivateDirectory(path);
    if (!made.ok) return made;
    const claimed = claimLease({ directory: path, machine }, leaseName);
    if (!claimed.ok) return claimed;
    if (claimed.value.state === 'held') continue;
    const { lease } = claimed.value;
    const keeper = findKeeper(clock);
    keeper.keep(lease);
    const jobs = join(path, 'jobs');
    clearJobs(jobs, home);
    return ok({
      path,
      jobs,
      release() {
        keeper.drop(lease);
        lease.release();
      },
    });
  }
  return failure(
    `${maxWorkers} workers have their files beside ${first}.`,
    'Choose another directory with --directory.',
  );
}

/** What a worker that was killed has left: files, and conversations. Whoever continues those has them from the engine. */
function clearJobs(jobs: string, home: string): void {
  const { projects, projectDirectory } = createLayout(home);
  const begins = listNames(jobs).map((job) =>
    basename(projectDirectory(join(resolveRealPath(jobs), job, 'files'))),
  );
  // An agent may work in a directory below.
  for (const project of listNames(projects))
    if (begins.some((begin) => project === begin || project.startsWith(`${begin}-`)))
      rmSync(join(projects, project), { recursive: true, force: true });
  try {
    rmSync(jobs, { recursive: true, force: true });
  } catch {
    // A command has closed a directory. The job that comes back opens it.
  }
}
