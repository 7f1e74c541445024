import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { statEntry } from '../../lib/files/entry-at.ts';
import type { RealPath } from '../../lib/files/real-places.ts';
import { fail, formatError, ok, type Result } from '../../lib/result.ts';
import { copyHeld } from '../copy-held.ts';
import { isWithin } from '../paths.ts';
import { resolveRealPath } from '../real-path.ts';
import { copyDirectory } from './copy-directory.ts';
import { describeLeftOut, type LeftOut, type RefuseFile } from './left-out.ts';
import type { WorktreeRecord } from './record.ts';
import { bindGit, type Git, type WorktreeWorld } from './repository.ts';
import { copySubmodules } from './submodule-copy.ts';
import { fillSubmodules } from './submodules.ts';

export interface FillOptions {
  /** Directories by name that are copied, whether or not others are linked. */
  copyDirectories: readonly string[];
  /** Directories by name that count as large, besides the usual ones. */
  linkDirectories: readonly string[];
  /** Whether linked directories are read-only for work in the worktree. Otherwise nothing is linked. */
  sandboxed: boolean;
  /** Why a file or directory of the checkout is not brought: agents may not read it there. */
  refuses?: RefuseFile;
  /** Ends the search for ignored files: the worktree is made without them. */
  signal?: AbortSignal;
  /** Prepares a new worktree; says why that failed. */
  setUp?(path: string, signal?: AbortSignal): Promise<string | undefined>;
}

/** Dependencies: large, ignored, and the same for every checkout. Build results are not included. */
const largeDirectories = ['node_modules', '.venv', 'venv', 'bower_components', '.bundle'];
/** Caches in them that their users write: each worktree has its own. */
const privateCaches = ['.cache', '.vite', '.vite-temp', '.tmp'];
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
    const [source, target] = [join(from, path), join(to, path)];
    const problem = (await options.refuses?.(source)) ?? findStart(target, to);
    const filled: Result<LeftOut[], string> =
      problem !== undefined
        ? fail(problem)
        : isCopied || !options.sandboxed
          ? await copyDirectory(source, target, {
              top: from,
              root: to,
              env: world.env,
              refuses: options.refuses,
            })
          : linkEntries(source, target);
    notes.push(
      ...(filled.ok
        ? describeLeftOut(path, filled.value)
        : [`${path} is missing in the worktree: ${filled.problem}`]),
    );
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
function linkEntries(from: string, to: string): Result<LeftOut[], string> {
  try {
    mkdirSync(to, { recursive: true });
    for (const name of privateCaches)
      if (existsSync(join(from, name))) mkdirSync(join(to, name), { recursive: true });
    for (const name of readdirSync(from))
      if (!privateCaches.includes(name)) symlinkSync(join(from, name), join(to, name));
    return ok([]);
  } catch (error) {
    return fail(formatError(error));
  }
}

/** The files that `.worktreeinclude` names among those that are ignored. */
async function includeFiles(from: string, to: string, git: Git, { refuses }: FillOptions): Promise<string[]> {
  const list = join(from, '.worktreeinclude');
  if (!statEntry(list)?.isFile()) return [];
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
  const refused: LeftOut[] = [];
  for (const path of all) {
    const reason = await refuses?.(join(from, path));
    if (reason !== undefined) refused.push({ path, reason });
  }
  const left = new Set(refused.map(({ path }) => path));
  const wanted = all.filter((path) => !left.has(path));
  const notes = [
    ...describeLeftOut('.worktreeinclude', refused),
    ...wanted.slice(0, maxIncluded).flatMap((path) => copyFile(from, to, path)),
  ];
  return wanted.length > maxIncluded
    ? [...notes, `.worktreeinclude names ${wanted.length} files; the first ${maxIncluded} were copied.`]
    : notes;
}

function copyFile(from: string, to: string, path: string): string[] {
  const target = join(resolveRealPath(to), path) as RealPath;
  // It came with the checkout or with a directory above.
  if (statEntry(target)) return [];
  const copied = copyHeld(join(resolveRealPath(from), path) as RealPath, target);
  return copied.ok ? [] : [`${path} was not copied: ${copied.problem}`];
}

/** Nothing exists there yet, and no link of the checkout leads elsewhere. */
function findStart(path: string, root: string): string | undefined {
  if (statEntry(path)) return 'something else with that name exists';
  return isWithin(resolveRealPath(path), resolveRealPath(root))
    ? undefined
    : 'a link points outside the worktree';
}
