import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { failure, formatError, ok, type Result } from '../../lib/result.ts';
import { packHistory, unpackHistory } from '../../remote/bundle.ts';
import type { Engine } from '../../remote/engine.ts';
import type { JobOrder } from '../../remote/job.ts';
import { receiveHistory } from '../../remote/repository.ts';
import type { JobState, Step } from '../../remote/steps.ts';
import { removeTreeMeanwhile } from '../../sandbox/guard/remove-tree.ts';
import { commitTree } from '../../workspace/worktrees/carry.ts';
import { snapshotTree } from '../../workspace/worktrees/changes.ts';
import { bindGit, type WorktreeWorld } from '../../workspace/worktrees/repository.ts';

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
  { repository, base }: JobOrder,
  state: JobState,
  place: {
    directory: string;
    world: WorktreeWorld;
    /** Called with the files of the order's commit, before those of later steps. */
    prepare(top: string): Promise<Result<void>>;
  },
): Promise<Result<JobCheckout>> {
  const top = join(place.directory, 'files');
  if (!(await removeTreeMeanwhile(place.directory)))
    return failure(`${place.directory} is from an earlier time and cannot be removed.`, 'Remove it.');
  try {
    mkdirSync(top, { recursive: true, mode: 0o700 });
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
  const { head, tip } = state.files ?? { head: base, tip: base };
  // The files of `tip`, as changes that are not committed.
  const out = await run(['reset', '--quiet', '--hard', tip], ['reset', '--quiet', head]);
  if (!out.ok) return out;
  let sent = [...new Set([base, head, tip])];
  let last: string | undefined;
  return ok({
    top,
    async pack() {
      const now = await git(['rev-parse', 'HEAD']);
      const tree = now.ok ? await snapshotTree(top, world) : now;
      if (!now.ok) return now;
      if (!tree.ok) return tree;
      const key = `${now.value.trim()} ${tree.value}`;
      if (key === last) return ok([]);
      const current = await commitFiles(now.value.trim(), tree.value, top, world);
      if (!current.ok) return current;
      const marked = await run(['update-ref', packed, current.value]);
      if (!marked.ok) return marked;
      const bundle = await packHistory(git, packed, sent);
      if (!bundle.ok) return bundle;
      const pieces = (bundle.value?.pieces ?? []).map((data): Step => ({ kind: 'piece', data }));
      last = key;
      sent = [...new Set([...sent, now.value.trim(), current.value])].slice(-20);
      return ok([...pieces, { kind: 'files', head: now.value.trim(), tip: current.value }]);
    },
    remove: async () => void (await removeTreeMeanwhile(place.directory)),
  });
}

async function commitFiles(
  head: string,
  tree: string,
  top: string,
  world: WorktreeWorld,
): Promise<Result<string>> {
  const before = await bindGit(world, top)(['rev-parse', `${head}^{tree}`]);
  if (!before.ok) return before;
  if (before.value.trim() === tree) return ok(head);
  return commitTree({ tree, parents: [head], message: 'Files of a remote agent' }, top, world);
}
