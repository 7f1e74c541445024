import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { systemClock } from '../../lib/clock.ts';
import { statEntry } from '../../lib/files/entry-at.ts';
import { unlinkSync } from '../../lib/files/exact-files.ts';
import { basename, dirname, join } from '../../lib/files/exact-paths.ts';
import { readEntries } from '../../lib/files/list-if-there.ts';
import { RealPlaces } from '../../lib/files/real-places.ts';
import { ownerVariable, spawnOwned } from '../../lib/processes/process.ts';
import { fail, formatError, ok, type Result } from '../../lib/result.ts';
import { listKnown } from '../../lib/told.ts';
import { resolveRealPath } from '../real-path.ts';
import { findRunningCommands } from '../running-commands.ts';
import type { LeftOut, RefuseFile } from './left-out.ts';

const maxMinutes = 3;
/** Other agents work meanwhile. */
const sliceMs = 10;

interface CopyMeans {
  /** The checkout that is copied from. */
  top: string;
  /** The worktree. */
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  refuses?: RefuseFile | undefined;
}

/**
 * With shared blocks where the file system can; completely or not at all, but for files that are other names (hard links) of
 * what agents may not read: copied, they would be files that nothing tells from others. Those are returned, by their path in
 * the directory. Names in the directory are not judged one by one: rules hold for the same path in a worktree.
 */
export async function copyDirectory(
  from: string,
  to: string,
  { top, root, env, refuses }: CopyMeans,
): Promise<Result<LeftOut[], string>> {
  const closed = refuses ? await findClosedNames(from, refuses) : [];
  mkdirSync(dirname(to), { recursive: true });
  const aside = `${to}.copying`;
  const isLinux = process.platform === 'linux';
  // It finds by name what it reads, and a command that works there could lead it elsewhere meanwhile.
  const running = await findRunningCommands();
  const isShared = running?.mayWorkIn(top) === true;
  const places = { open: [dirname(aside)], closed: [], shown: [top], linkless: top };
  const hold = isShared ? running?.hold?.(places) : undefined;
  const copying = [isLinux ? '-a' : '-Rp', ...(isLinux ? ['--reflink=auto'] : []), '--', from, aside];
  const [file = 'cp', ...args] = [...(hold ?? []), 'cp', ...copying];
  const end = await spawnOwned({
    ...{ file, args },
    cwd: root,
    // The system's own program, wherever the user's search path leads.
    env: { PATH: '/usr/bin:/bin' },
    owner: env[ownerVariable] ?? 'cadre',
    clock: systemClock,
    output: () => {},
    timeoutMs: maxMinutes * 60_000,
  }).ended;
  const problem =
    end.code === 0
      ? leaveOut(resolveRealPath(aside), closed)
      : end.timedOut
        ? `copying it took longer than ${maxMinutes} minutes`
        : (end.problem ?? `cp ended with ${end.code ?? end.signal}`);
  if (problem === undefined) {
    renameSync(aside, to);
    return ok(closed);
  }
  rmSync(aside, { recursive: true, force: true });
  return fail(problem);
}

/** Only a file with several names can be one that is closed under another. */
async function findClosedNames(top: string, refuses: RefuseFile): Promise<LeftOut[]> {
  const found: LeftOut[] = [];
  const waiting = [''];
  let since = performance.now();
  for (let inner = waiting.pop(); inner !== undefined; inner = waiting.pop()) {
    for (const entry of listKnown(readEntries(join(top, inner)))) {
      const path = inner === '' ? entry.name : join(inner, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      if (!entry.isFile() || (statEntry(join(top, path))?.nlink ?? 1) < 2) continue;
      const reason = await refuses(join(top, path));
      if (reason !== undefined) found.push({ path, reason });
    }
    if (performance.now() - since < sliceMs) continue;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
  return found;
}

/** Removes entries of the copy, by no link: a directory may have become one before it was copied. */
function leaveOut(copy: string, closed: readonly LeftOut[]): string | undefined {
  const places = new RealPlaces();
  try {
    for (const { path } of closed) {
      const whole = join(copy, path);
      const parent = places.directory(dirname(whole));
      if (parent.state !== 'found') return 'it was changed while it was copied';
      unlinkSync(join(parent.value, basename(whole)));
    }
    return undefined;
  } catch (error) {
    return formatError(error);
  } finally {
    places.close();
  }
}
