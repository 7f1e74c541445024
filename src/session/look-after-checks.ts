import type { WorkspaceLook } from '../protocol/receipt.ts';
import type { ClaimContext } from '../receipts/judge.ts';
import { listCheckRuns } from '../receipts/judge-check.ts';
import type { Kernel } from './kernel.ts';

/**
 * What has changed where an agent's checks ran, since the first of them ended. A process that a command left running, or another
 * program, changes files between calls, where nothing else looks. Undefined: no check ran, so no claim needs it.
 */
export async function lookAfterChecks(
  { place, environment, tape, identity }: Kernel,
  context: ClaimContext,
): Promise<WorkspaceLook | undefined> {
  const { evidence, agentId, ran, ranAt } = context;
  const runs = listCheckRuns(context).flatMap(({ call, cwd }) => {
    const endedAt = call.receipt?.endedAt;
    return endedAt === undefined ? [] : [{ cwd, at: call.at, endedAt }];
  });
  const isRan = ran !== undefined && Object.keys(ran).length > 0 && ranAt !== undefined;
  const ends = [...runs.map(({ endedAt }) => endedAt), ...(isRan ? [ranAt] : [])].sort();
  const [first] = ends;
  if (first === undefined) return undefined;
  // A replay could not find the same.
  if (tape) return { changed: [], unseen: 'the session is recorded for replay' };
  const around = evidence.directories.get(agentId);
  const directories = new Set([
    ...runs.map(({ cwd }) => cwd),
    ...(around === undefined ? [] : [around]),
    ...(isRan ? [place.cwd] : []),
  ]);
  const [{ findChangedSince }, { readJournal }] = await Promise.all([
    import('../store/snapshot/changed-since.ts'),
    import('../store/snapshot/journal.ts'),
  ]);
  // What commands could change is listed before the first of them: a name that is gone shows only there, where there is no git.
  const names = readJournal(identity.files.snapshot)?.entries.keys() ?? [];
  return findChangedSince({
    directories: [...directories],
    since: Date.parse(first),
    spared: runs.map(({ at, endedAt }) => ({ from: Date.parse(at), to: Date.parse(endedAt) })),
    names,
    known: new Map(evidence.changes.map(({ path, after }) => [path, after])),
    ...{ userHome: place.userHome, home: place.home, env: { ...environment } },
  });
}
