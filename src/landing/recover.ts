import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isSameProcess } from '../lib/process-mark.ts';
import { ok, type Result } from '../lib/result.ts';
import { snapshotTree } from '../workspace/worktree-changes.ts';
import { type Git, gitIn, type WorktreeWorld } from '../workspace/worktree-repository.ts';
import type { Journal } from './forward.ts';

/**
 * Finishes what a process was doing to a checkout when it was killed: the user had agreed to it, and half of it would be
 * neither the old state nor the new one. Files that are neither are somebody's work: then nothing is touched, and it is said.
 */
export async function recoverLandings(world: WorktreeWorld): Promise<string[]> {
  const directory = join(world.home, 'landing');
  const notices: string[] = [];
  for (const name of namesIn(directory)) {
    const path = join(directory, name);
    const journal = readJournal(path);
    if (journal && isSameProcess(journal.owner)) continue;
    const done = journal && existsSync(journal.top) ? await finish(journal, path, world) : ok(undefined);
    if (!done.ok) notices.push(`A landing on ${journal?.branch} was cut off: ${done.problem.message}`);
    else if (done.value) notices.push(done.value);
    rmSync(path, { force: true });
  }
  return notices;
}

async function finish(
  journal: Journal,
  path: string,
  world: WorktreeWorld,
): Promise<Result<string | undefined>> {
  const { top, branch, from, to } = journal;
  const git = gitIn(world, top);
  const head = await git(['symbolic-ref', '--quiet', 'HEAD']);
  const tip = await git(['rev-parse', '--verify', `refs/heads/${branch}`]);
  if (!tip.ok) return tip;
  if (!head.ok || head.value.trim() !== `refs/heads/${branch}` || tip.value.trim() !== from)
    return ok(undefined);
  const now = await snapshotTree(top, world);
  if (!now.ok) return now;
  const [landed, notFrom, notTo] = await Promise.all([
    pathsOf(git, [from, to]),
    pathsOf(git, [from, now.value]),
    pathsOf(git, [to, now.value]),
  ]);
  if (!landed.ok) return landed;
  if (!notFrom.ok) return notFrom;
  if (!notTo.ok) return notTo;
  const isThere = (file: string) => existsSync(join(top, file));
  const begun = landed.value.filter((file) => notFrom.value.includes(file));
  await removeStaleLock(git, path);
  if (begun.length === 0) return ok(undefined);
  const unknown = begun.filter((file) => notTo.value.includes(file) && isThere(file));
  if (unknown.length > 0)
    return ok(
      `A landing on ${branch} in ${top} was cut off half way, and these files are neither as before nor as after it: ` +
        `${unknown.join(', ')}. Nothing was touched; git checkout ${to} -- FILE takes the new one.`,
    );
  return complete(journal, landed.value, git);
}

async function complete(
  { top, branch, from, to }: Journal,
  paths: readonly string[],
  git: Git,
): Promise<Result<string | undefined>> {
  const kept = await git(['ls-tree', '-r', '-z', '--name-only', to]);
  if (!kept.ok) return kept;
  const names = new Set(kept.value.split('\0'));
  const input = (list: readonly string[]) => `${list.join('\0')}\0`;
  const written = paths.filter((path) => names.has(path));
  const gone = paths.filter((path) => !names.has(path));
  const literal = ['--pathspec-from-file=-', '--pathspec-file-nul'];
  if (written.length > 0) {
    const taken = await git(['checkout', '--quiet', to, ...literal], { input: input(written) });
    if (!taken.ok) return taken;
  }
  if (gone.length > 0) {
    const removed = await git(['rm', '--quiet', '--force', '--ignore-unmatch', ...literal], {
      input: input(gone),
    });
    if (!removed.ok) return removed;
  }
  const moved = await git(['update-ref', '-m', 'cadre: land', `refs/heads/${branch}`, to, from]);
  return moved.ok ? ok(`A landing on ${branch} in ${top} that was cut off has been finished.`) : moved;
}

async function pathsOf(git: Git, commits: readonly string[]): Promise<Result<string[]>> {
  const listed = await git(['diff', '--name-only', '-z', '--no-renames', ...commits, '--']);
  return listed.ok ? ok(listed.value.split('\0').filter((path) => path !== '')) : listed;
}

/** Left by the git that was killed along with us: younger than the journal, and nobody's who is alive. */
async function removeStaleLock(git: Git, journal: string): Promise<void> {
  const found = await git(['rev-parse', '--path-format=absolute', '--git-path', 'index.lock']);
  const lock = found.ok ? found.value.trim() : '';
  if (lock === '' || !existsSync(lock) || statSync(lock).mtimeMs < statSync(journal).mtimeMs) return;
  rmSync(lock, { force: true });
}

function readJournal(path: string): Journal | undefined {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8'));
    return value?.format === 1 && typeof value.top === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
  } catch {
    return [];
  }
}
