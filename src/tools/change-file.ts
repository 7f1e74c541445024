import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { writeAtomic } from '../lib/atomic.ts';
import { describeFileError } from '../lib/files.ts';
import { fail, failure, ok, type Result } from '../lib/result.ts';
import type { ToolContext } from '../protocol/tool.ts';
import { realPathOf } from '../workspace/real-path.ts';
import { openFile } from './open-file.ts';
import { checkSeen, rememberFile } from './seen-files.ts';
import { type DecodedText, decodeText } from './text-file.ts';

/** A file before a change. */
export interface CurrentFile extends DecodedText {
  real: string;
  bytes: Uint8Array;
  mode: number;
  owner: { uid: number; gid: number };
  version: string;
  /** Names of the file: with several, all of them must see the change. */
  links: number;
}

const mostChanged = 50 * 1024 * 1024;

/** The file as it is, or null. One that the agent has not seen as it is now is refused. */
export async function loadSeen(path: string, context: ToolContext): Promise<Result<CurrentFile | null>> {
  const opened = openFile(path);
  if (!opened.ok || !opened.value) return opened.ok ? ok(null) : opened;
  const { descriptor, stat, real } = opened.value;
  try {
    if (stat.size > mostChanged) {
      return failure(`${path} is ${stat.size} bytes, too large to change here. Use a program in Bash.`);
    }
    const bytes = readFileSync(descriptor);
    const decoded = decodeText(bytes);
    const seen = checkSeen(path, context.files.get(real), { bytes, text: decoded.text });
    if (!seen.ok) return seen;
    const owner = { uid: stat.uid, gid: stat.gid };
    return ok({
      ...decoded,
      real,
      bytes,
      mode: stat.mode & 0o7777,
      owner,
      version: versionOf(stat),
      links: stat.nlink,
    });
  } catch (error) {
    return fail(describeFileError(error, path, 'read'));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes the new content wholly or not at all, after what was there is safely kept. A symlink stays and its target is
 * written; the file's mode stays too. `current` is what `loadSeen` found.
 */
export async function changeFile(
  path: string,
  current: CurrentFile | null,
  bytes: Uint8Array,
  context: ToolContext,
): Promise<Result<void>> {
  const { text } = decodeText(bytes);
  const mark = context.secrets?.markIn(text);
  if (mark !== undefined && !current?.text.includes(mark)) return failure(maskedWrite(path, mark));
  const real = current?.real ?? realPathOf(path);
  const kept = await context.history.keep(real, current?.bytes ?? null, context.toolUseId);
  if (!kept.ok) return kept;
  if (context.signal.aborted) return failure(`${path} was not written: interrupted.`);
  const ready = prepare(path, real, current);
  if (!ready.ok) return ready;
  const written = replace(real, current, bytes);
  if (!written.ok) return written;
  rememberFile(context.files, real, bytes, text);
  return ok(undefined);
}

/** What stands for a secret would be written in its place, and the secret would be lost. */
function maskedWrite(path: string, mark: string): string {
  return (
    `${path} was not written: ${mark} stands for a value that is kept from you, and would take its place. ` +
    'Leave the lines with it as they are: change others with Edit, or ask the user.'
  );
}

function prepare(path: string, real: string, current: CurrentFile | null): Result<void> {
  try {
    mkdirSync(dirname(real), { recursive: true });
    const stat = statSync(real, { throwIfNoEntry: false });
    const version = stat ? versionOf(stat) : undefined;
    if (version === current?.version && realPathOf(path) === real) return ok(undefined);
    return failure(
      `${path} was changed by somebody else at this moment, so nothing was written. Read it again.`,
    );
  } catch (error) {
    return fail(describeFileError(error, path, 'write'));
  }
}

function replace(real: string, current: CurrentFile | null, bytes: Uint8Array): Result<void> {
  if (current && current.links > 1) return overwrite(real, current.bytes, bytes);
  const written = writeAtomic(real, bytes, current?.mode ?? 0o666 & ~process.umask());
  if (!written.ok)
    return current && isDirectoryClosed(real) ? overwrite(real, current.bytes, bytes) : written;
  if (current) keepOwner(real, current);
  return written;
}

/** For a file with several names, and for one in a directory that may not be written. Puts the old content back when it fails half-way. */
function overwrite(real: string, before: Uint8Array, bytes: Uint8Array): Result<void> {
  try {
    writeFileSync(real, bytes, { flag: 'r+' });
    truncateSync(real, bytes.length);
    return ok(undefined);
  } catch (error) {
    try {
      writeFileSync(real, before, { flag: 'r+' });
      truncateSync(real, before.length);
    } catch {}
    return fail(describeFileError(error, real, 'write'));
  }
}

function isDirectoryClosed(real: string): boolean {
  try {
    accessSync(dirname(real), constants.W_OK);
    return false;
  } catch {
    return true;
  }
}

/** Matters to root alone, who would otherwise take over the files of others. */
function keepOwner(real: string, current: CurrentFile): void {
  const { uid, gid } = current.owner;
  if (uid === process.geteuid?.() && gid === process.getegid?.()) return;
  try {
    chownSync(real, uid, gid);
  } catch {}
}

function versionOf(stat: { ino: number; size: number; mtimeMs: number }): string {
  return `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}
