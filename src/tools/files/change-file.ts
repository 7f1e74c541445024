import { closeSync, readFileSync } from 'node:fs';
import { describeFileError } from '../../lib/files/files.ts';
import type { RealPath } from '../../lib/files/real-places.ts';
import { fail, failure, ok, type Result } from '../../lib/result.ts';
import { diffLines, renderHunks } from '../../lib/text/diff.ts';
import type { LeaseConflict } from '../../protocol/lease.ts';
import type { ToolContext } from '../../protocol/tool.ts';
import { describeHolder } from '../../workspace/file-leases.ts';
import { movedMeanwhile, openFile } from './open-file.ts';
import { formatVersion, putFile } from './put-file.ts';
import { checkSeen, rememberFile } from './seen-files.ts';
import { type CurrentFile, decodeText } from './text-file.ts';

const maxChanged = 50 * 1024 * 1024;

/** The current file, or null. A file that the agent has not seen in its current state is refused. */
export async function loadSeen(path: string, context: ToolContext): Promise<Result<CurrentFile | null>> {
  const judged = context.judged(path);
  const opened = openFile(path, judged);
  if (!opened.ok) return opened;
  if (!opened.value) {
    const taken = context.leases?.conflict(judged ?? path);
    return taken ? failure(leaseRefusal(path, taken, null)) : ok(null);
  }
  const { descriptor, stat, real } = opened.value;
  try {
    if (stat.size > maxChanged) {
      return failure(`${path} is ${stat.size} bytes, too large to change here. Use a program in Bash.`);
    }
    const bytes = readFileSync(descriptor);
    const decoded = decodeText(bytes);
    const taken = context.leases?.conflict(real);
    if (taken) return failure(leaseRefusal(path, taken, decoded.text));
    const seen = checkSeen(path, context.files.get(real), { bytes, text: decoded.text });
    if (!seen.ok) return seen;
    const owner = { uid: stat.uid, gid: stat.gid };
    return ok({
      ...decoded,
      real,
      bytes,
      mode: stat.mode & 0o7777,
      owner,
      version: formatVersion(stat),
      links: stat.nlink,
    });
  } catch (error) {
    return fail(describeFileError(error, path, 'read'));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes the new content completely or not at all, after saving the old content. A symlink stays and its target is
 * written; the file's mode stays too. `current` is the result of `loadSeen`.
 */
export async function changeFile(
  path: string,
  current: CurrentFile | null,
  bytes: Uint8Array,
  context: ToolContext,
): Promise<Result<void>> {
  const { text } = decodeText(bytes);
  const mark = context.secrets?.findMark(text);
  if (mark !== undefined && !current?.text.includes(mark)) return failure(maskedWrite(path, mark));
  const real = context.judged(path);
  if (real === undefined || (current && current.real !== real)) return failure(movedMeanwhile(path));
  const refusal = findRefusal(path, current, context);
  if (refusal !== undefined) return failure(refusal);
  // Before anything is awaited: of two agents that come at once, one is first.
  const lease = context.leases?.take(real, current?.text ?? null);
  if (lease && !lease.ok) return failure(leaseRefusal(path, lease.problem, current?.text ?? null));
  const written = await keepAndPut(path, real, current, bytes, context);
  if (!written.ok) {
    lease?.value.notWritten();
    return written;
  }
  const { hash } = rememberFile(context.files, real, bytes, text);
  lease?.value.written(hash);
  return ok(undefined);
}

async function keepAndPut(
  path: string,
  real: RealPath,
  current: CurrentFile | null,
  bytes: Uint8Array,
  context: ToolContext,
): Promise<Result<void>> {
  const kept = await context.history.keep(real, current?.bytes ?? null, context.toolUseId, {
    ...{ after: bytes, agentId: context.agentId },
    ...(current ? { mode: current.mode } : {}),
  });
  if (!kept.ok) return kept;
  if (context.signal.aborted) return failure(`${path} was not written: interrupted.`);
  return putFile(path, real, current, bytes);
}

/** A placeholder would overwrite the secret that it replaces. */
function maskedWrite(path: string, mark: string): string {
  return (
    `${path} was not written: ${mark} replaces a value that is hidden from you, and would overwrite it. ` +
    'Leave the lines that contain it unchanged: edit other lines with Edit, or ask the user.'
  );
}

/** Why the file may not be written, although the call was allowed. */
function findRefusal(path: string, current: CurrentFile | null, context: ToolContext): string | undefined {
  if (current && current.links > 1 && context.unseen)
    return (
      `${path} was not written: it has other hard links, which may be outside the workspace and would ` +
      'change too. The user was not asked about that. Replace it with a copy of itself first (cp, then mv).'
    );
  return undefined;
}

const maxLines = 24;

/** The holder of the file, and its changes so far. */
function leaseRefusal(path: string, conflict: LeaseConflict, now: string | null): string {
  const { holder, writes } = conflict;
  return [
    `${path} was not written: it is leased to ${describeHolder(holder)}, which ${countWrites(writes)}.`,
    ...describeChanges(conflict, now),
    holder.agentId === null
      ? "It becomes available when the main agent's turn ends. Work on other files, and report what this one needs."
      : 'It becomes available when that agent ends. Work on other files, and report what this one needs.',
  ].join('\n');
}

function countWrites(writes: number): string {
  if (writes === 0) return 'is writing it now';
  return writes === 1 ? 'has written it once so far' : `has written it ${writes} times so far`;
}

function describeChanges({ before }: LeaseConflict, now: string | null): string[] {
  if (before === undefined) return [];
  if (before === null)
    return now === null ? [] : [`It created the file, with ${now.split('\n').length} lines.`];
  const hunks = diffLines(before, now ?? '');
  return hunks.length === 0 ? [] : [`Its changes:\n${renderHunks(hunks, maxLines)}`];
}
