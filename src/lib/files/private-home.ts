import { chmodSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fail, getErrorCode, ok, type Result, usage } from '../result.ts';
import { describeFileError } from './files.ts';

/**
 * Makes sure that nobody else decides what our own directory holds: settings in it run hooks, name servers and grant rights.
 * A directory or file of ours that is open to others is closed; one that belongs to another user is refused.
 */
export function closeToOthers(home: string): Result<void> {
  try {
    const found = statSync(home, { throwIfNoEntry: false });
    if (!found?.isDirectory()) return ok(undefined);
    if (!isOurs(found)) return refuseOwner(home, found);
    const names = readdirSync(home);
    const misplaced = names
      .filter((name) => neededDirectories.has(name))
      .find((name) => isFile(join(home, name)));
    if (misplaced !== undefined)
      return usage(
        `${join(home, misplaced)} is a file, and Cadre keeps a directory of that name there.`,
        'Move it away, or set CADRE_HOME to another directory.',
      );
    // A directory of the system that was named by mistake is not ours to change, even as root.
    if (dirname(home) === '/' || !looksLikeHome(home, names)) return ok(undefined);
    if ((found.mode & 0o077) !== 0) chmodSync(home, 0o700);
    for (const name of names) {
      const checked = closeEntry(join(home, name));
      if (!checked.ok) return checked;
    }
    return ok(undefined);
  } catch (error) {
    // One that cannot be read, or that is on a read-only disk, is reported where it is needed.
    if (['EACCES', 'EROFS', 'ENOTDIR', 'ELOOP'].includes(getErrorCode(error) ?? '')) return ok(undefined);
    return fail(describeFileError(error, home, 'restrict access to'));
  }
}

/** By its name, new, or with something in it that only Cadre makes: `projects` alone may be in anyone's home. */
function looksLikeHome(home: string, names: readonly string[]): boolean {
  return basename(home) === '.cadre' || names.length === 0 || names.some((name) => ownNames.has(name));
}

/** Nothing runs without these. */
const neededDirectories: ReadonlySet<string> = new Set(['projects', 'running']);

/** A link that leads nowhere is found where the directory is made. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false;
}

const ownNames: ReadonlySet<string> = new Set([
  'settings.json',
  'keys.json',
  'trust.json',
  'mcp-pins.json',
  '.swept',
]);

/** Another process may remove a file meanwhile. A link is as good as the file that it leads to. */
function closeEntry(path: string): Result<void> {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  const found = entry?.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : entry;
  if (!entry || !found) return ok(undefined);
  if (!isOurs(entry)) return refuseOwner(path, entry);
  if (!isOurs(found) && !isSystem(found)) return refuseOwner(path, found);
  if (isOurs(found) && (found.mode & 0o022) !== 0) chmodSync(path, found.mode & 0o7755);
  return ok(undefined);
}

/** Why a file that only its owner should decide about may hold what somebody else wrote; undefined if it may not. */
export function describeOtherWriter(found: Pick<Stats, 'uid' | 'mode'>): string | undefined {
  if (!isOurs(found) && found.uid !== 0) return `belongs to another user (uid ${found.uid})`;
  return (found.mode & 0o002) === 0 ? undefined : 'can be written by every user';
}

function isOurs({ uid }: Pick<Stats, 'uid'>): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

/** Root's files, with which a machine is set up, are as good as the program itself, unless others may write them. */
function isSystem({ uid, mode }: Stats): boolean {
  return uid === 0 && (mode & 0o022) === 0;
}

function refuseOwner(path: string, { uid }: Stats): Result<never> {
  return usage(
    `${path} belongs to another user (uid ${uid}), who could change what Cadre does for you.`,
    `Make yourself its owner (chown ${process.getuid?.()} ${path}), move it away, or set CADRE_HOME to your own directory.`,
  );
}
