import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { removeTreeMeanwhile } from '../../lib/files/remove-tree.ts';
import { failure, formatError, ok, type Result } from '../../lib/result.ts';
import { packHistory, unpackHistory } from '../../remote/bundle.ts';
import type { Engine } from '../../remote/engine.ts';
import type { JobOrder } from '../../remote/job.ts';
import { receiveHistory } from '../../remote/repository.ts';
import type { CarriedFiles, JobState, Step } from '../../remote/steps.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { dropRecord } from '../../workspace/worktrees/record.ts';
import { bindGit, type WorktreeWorld } from '../../workspace/worktrees/repository.ts';
import {
  checkOut,
  commitStates,
  listWorktrees,
  nameStates,
  placeWorktree,
  readStates,
} from './carried-files.ts';

/** The files of a job on its worker: a repository of its own, in which nothing of the worker's user is. */
export interface JobCheckout {
  readonly top: string;
  /** The files, where they have changed since this was last asked, as steps that must then be stored. */
  pack(): Promise<Result<Step[]>>;
  /** Commands may have closed directories of it. */
  remove(): Promise<void>;
}

const branch = 'cadre-remote';
const packed = 'refs/cadre/packed';

/** Brings the repository to the state that the last worker stored, or to the commit that the job begins from. */
export async function openCheckout(
  engine: Engine,
  known: ReadonlySet<string>,
  { repository, base, sessionId }: JobOrder,
  state: JobState,
  place: {
    directory: string;
    world: WorktreeWorld;
    /** Called with the files of the order's commit, before those of later steps. */
    prepare(top: string): Promise<Result<void>>;
  },
): Promise<Result<JobCheckout>> {
  let top = join(place.directory, 'files');
  if (!(await removeTreeMeanwhile(place.directory)))
    return failure(`${place.directory} is from an earlier time and cannot be removed.`, 'Remove it.');
  try {
    mkdirSync(top, { recursive: true, mode: 0o700 });
    top = resolveRealPath(top);
  } catch (error) {
    return failure(`${top} cannot be made: ${formatError(error)}`);
  }
  const { world } = place;
  const git = bindGit(world, top);
  const run = async (...commands: string[][]): Promise<Result<void>> => {
    for (const args of commands) {
      const done = await git(args);
      if (!done.ok) return done;
    }
    return ok(undefined);
  };
  const made = await run(['init', '--quiet', `--initial-branch=${branch}`]);
  if (!made.ok) return made;
  const received = await receiveHistory(engine, known, repository, { git, tip: base });
  if (!received.ok) return received;
  const based = await run(['reset', '--quiet', '--hard', base]);
  const ready = based.ok ? await place.prepare(top) : based;
  if (!ready.ok) return ready;
  for (const pieces of state.bundles) {
    const unpacked = await unpackHistory(git, pieces);
    if (!unpacked.ok) return unpacked;
  }
  const files = state.files ?? { head: base, tip: base, worktrees: [] };
  const out = await checkOut(top, files, world);
  if (!out.ok) return out;
  const part = { top, common: resolveRealPath(join(top, '.git')), session: sessionId };
  for (const left of listWorktrees(part, world)) dropRecord(world.home, left);
  for (const worktree of files.worktrees) {
    const placed = await placeWorktree(part, worktree, world);
    if (!placed.ok) return placed;
  }
  let sent = [...new Set([base, ...listCommits(files)])];
  let last: string | undefined;
  return ok({
    top,
    async pack() {
      const states = await readStates(part, world);
      if (!states.ok) return states;
      const key = nameStates(states.value);
      if (key === last) return ok([]);
      const now = await commitStates(part, states.value, world);
      if (!now.ok) return now;
      const { commit, head, tip, worktrees } = now.value;
      const marked = await run(['update-ref', packed, commit]);
      if (!marked.ok) return marked;
      const bundle = await packHistory(git, packed, sent);
      if (!bundle.ok) return bundle;
      const pieces = (bundle.value?.pieces ?? []).map((data): Step => ({ kind: 'piece', data }));
      last = key;
      sent = [...new Set([...sent, commit, ...listCommits(now.value)])].slice(-50);
      const known = worktrees.length > 0 ? { worktrees } : {};
      return ok([...pieces, { kind: 'files', head, tip, ...known }]);
    },
    async remove() {
      for (const record of listWorktrees(part, world)) dropRecord(world.home, record);
      await removeTreeMeanwhile(place.directory);
    },
  });
}

function listCommits({ head, tip, worktrees }: CarriedFiles): string[] {
  return [head, tip, ...worktrees.flatMap((one) => [one.head, one.tip])];
}
