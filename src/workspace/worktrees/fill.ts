import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import type { RealPath } from '../../lib/files/real-places.ts';
import { ownerVariable, spawnOwned } from '../../lib/processes/process.ts';
import { formatError } from '../../lib/result.ts';
import { copyHeld } from '../copy-held.ts';
import { isWithin } from '../paths.ts';
import { resolveRealPath } from '../real-path.ts';
import type { WorktreeRecord } from './record.ts';
import { bindGit, type Git, type WorktreeWorld } from './repository.ts';
import { copySubmodules } from './submodule-copy.ts';
import { fillSubmodules } from './submodules.ts';
import { nameFiles } from './words.ts';

export interface FillOptions {
  /** Directories by name that are copied, whether or not others are linked. */
  copyDirectories: readonly string[];
  /** Directories by name that count as large, besides the usual ones. */
  linkDirectories: readonly string[];
  /** Whether linked directories are read-only for work in the worktree. Otherwise nothing is linked. */
  sandboxed: boolean;
  /** Why a file or directory of the checkout is not brought: agents may not read it there. */
  refuses?(path: string): Promise<string | undefined>;
  /** Ends the search for ignored files: the worktree is made without them. */
  signal?: AbortSignal;
  /** Prepares a new worktree; says why that failed. */
  setUp?(path: string, signal?: AbortSignal): Promise<string | undefined>;
}

/** Dependencies: large, ignored, and the same for every checkout. Build results are not included. */
const largeDirectories = ['node_modules', '.venv', 'venv', 'bower_components', '.bundle'];
/** Caches in them that their users write: each worktree has its own. */
const privateCaches = ['.cache', '.vite', '.vite-temp', '.tmp'];
const maxBytesMinutes = 3;
const maxIncluded = 2000;
/** Git waits for whatever an ignore file is, and a command can make it a named pipe. */
const lookMs = 5000;

/**
 * Brings submodules and ignored files that the work needs into a new worktree, and prepares it. What cannot be brought is
 * reported, and is not a failure.
 */
export async function fillWorktree(
  /** `copied`: the worktree that this is a copy of, submodules included. */
  { ignored, copied }: { ignored: string; copied?: string },
  to: string,
  options: FillOptions,
  world: WorktreeWorld,
): Promise<Filled> {
  const { notes: missing, starts } =
    copied === undefined
      ? await fillSubmodules(ignored, to, world)
      : { notes: await copySubmodules(copied, to, { world, refuses: options.refuses }), starts: {} };
  const notes = [...missing, ...(await fillIgnored(ignored, to, options, world))];
  const failed = await options.setUp?.(to, options.signal);
  return {
    notes: failed === undefined ? notes : [...notes, failed],
    record: Object.keys(starts).length === 0 ? {} : { submodules: starts },
  };
}

interface Filled {
  /** What could not be brought. */
  notes: string[];
  /** For the record of the worktree. */
  record: Pick<WorktreeRecord, 'submodules'>;
}

async function fillIgnored(
  from: string,
  to: string,
  options: FillOptions,
  world: WorktreeWorld,
): Promise<string[]> {
  const git = bindTimedGit(from, options, world);
  const listed = await git(['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z']);
  if (!listed.ok) return [`Ignored files were not copied: ${listed.problem.message}`];
  const ignored = listed.value
    .split('\0')
    .filter((path) => path !== '' && !path.startsWith('.cadre/worktrees/'));
  const notes: string[] = [];
  const copied = new Set(options.copyDirectories);
  const large = new Set([...largeDirectories, ...options.linkDirectories]);
  for (const entry of ignored.filter((path) => path.endsWith('/'))) {
    const path = entry.slice(0, -1);
    const name = basename(path);
    const isCopied = copied.has(name) || copied.has(path);
    if (!isCopied && !large.has(name) && !large.has(path)) continue;
    const refused = await options.refuses?.(join(from, path));
    const problem =
      refused !== undefined
        ? refused
        : isCopied || !options.sandboxed
          ? await copyDirectory(join(from, path), join(to, path), to, world)
          : linkEntries(join(from, path), join(to, path), to);
    if (problem !== undefined) notes.push(`${path} is missing in the worktree: ${problem}`);
  }
  return [...notes, ...(await includeFiles(from, to, git, options))];
}

function bindTimedGit(from: string, { signal }: FillOptions, world: WorktreeWorld): Git {
  const git = bindGit({ ...world, ...(signal ? { signal } : {}) }, from);
  return (args, more) => git(args, { timeoutMs: lookMs, ...more });
}

/**
 * A directory whose entries are links into the main checkout. Not one link for all of it: `node_modules/` in an ignore file
 * means a directory, and caches inside it need their own place.
 */
function linkEntries(from: string, to: string, root: string): string | undefined {
  const problem = findStart(to, root);
  if (problem !== undefined) return problem;
  try {
    mkdirSync(to, { recursive: true });
    for (const name of privateCaches)
      if (existsSync(join(from, name))) mkdirSync(join(to, name), { recursive: true });
    for (const name of readdirSync(from))
      if (!privateCaches.includes(name)) symlinkSync(join(from, name), join(to, name));
    return undefined;
  } catch (error) {
    return formatError(error);
  }
}

/** With shared blocks where the file system can; completely or not at all. */
async function copyDirectory(
  from: string,
  to: string,
  root: string,
  { env }: WorktreeWorld,
): Promise<string | undefined> {
  const problem = findStart(to, root);
  if (problem !== undefined) return problem;
  mkdirSync(dirname(to), { recursive: true });
  const aside = `${to}.copying`;
  const isLinux = process.platform === 'linux';
  const end = await spawnOwned({
    file: 'cp',
    args: [isLinux ? '-a' : '-Rp', ...(isLinux ? ['--reflink=auto'] : []), '--', from, aside],
    cwd: root,
    // The system's own program, wherever the user's search path leads.
    env: { PATH: '/usr/bin:/bin' },
    owner: env[ownerVariable] ?? 'cadre',
    clock: systemClock,
    output: () => {},
    timeoutMs: maxBytesMinutes * 60_000,
  }).ended;
  if (end.code === 0) {
    renameSync(aside, to);
    return undefined;
  }
  rmSync(aside, { recursive: true, force: true });
  return end.timedOut
    ? `copying it took longer than ${maxBytesMinutes} minutes`
    : (end.problem ?? `cp ended with ${end.code ?? end.signal}`);
}

/** The files that `.worktreeinclude` names among those that are ignored. */
async function includeFiles(from: string, to: string, git: Git, { refuses }: FillOptions): Promise<string[]> {
  const list = join(from, '.worktreeinclude');
  if (!lstatSync(list, { throwIfNoEntry: false })?.isFile()) return [];
  const named = await git(['ls-files', '--others', '--ignored', `--exclude-from=${list}`, '-z']);
  if (!named.ok) return [`.worktreeinclude could not be applied: ${named.problem.message}`];
  const paths = named.value
    .split('\0')
    .filter((path) => path !== '' && !path.startsWith('.cadre/worktrees/'));
  const input = `${paths.join('\0')}\0`;
  const ignored =
    paths.length === 0 ? undefined : await git(['check-ignore', '-z', '--stdin'], { input, alsoGood: [1] });
  if (ignored === undefined) return [];
  if (!ignored.ok) return [`.worktreeinclude could not be applied: ${ignored.problem.message}`];
  const all = ignored.value.split('\0').filter((path) => path !== '');
  const refused: { path: string; reason: string }[] = [];
  for (const path of all) {
    const reason = await refuses?.(join(from, path));
    if (reason !== undefined) refused.push({ path, reason });
  }
  const left = new Set(refused.map(({ path }) => path));
  const wanted = all.filter((path) => !left.has(path));
  const notes = [
    ...noteRefused(refused),
    ...wanted.slice(0, maxIncluded).flatMap((path) => copyFile(from, to, path)),
  ];
  return wanted.length > maxIncluded
    ? [...notes, `.worktreeinclude names ${wanted.length} files; the first ${maxIncluded} were copied.`]
    : notes;
}

/** One line for each reason: a pattern may name hundreds of files. */
function noteRefused(refused: readonly { path: string; reason: string }[]): string[] {
  const byReason = Map.groupBy(refused, ({ reason }) => reason);
  return [...byReason].map(([reason, files]) => {
    const names = nameFiles(files.map(({ path }) => path));
    return `.worktreeinclude: ${names} not copied, because agents may not read it in the checkout: ${reason}`;
  });
}

function copyFile(from: string, to: string, path: string): string[] {
  const target = join(resolveRealPath(to), path) as RealPath;
  // It came with the checkout or with a directory above.
  if (lstatSync(target, { throwIfNoEntry: false })) return [];
  const copied = copyHeld(join(resolveRealPath(from), path) as RealPath, target);
  return copied.ok ? [] : [`${path} was not copied: ${copied.problem}`];
}

/** Nothing exists there yet, and no link of the checkout leads elsewhere. */
function findStart(path: string, root: string): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })) return 'something else with that name exists';
  return isWithin(resolveRealPath(path), resolveRealPath(root))
    ? undefined
    : 'a link points outside the worktree';
}
