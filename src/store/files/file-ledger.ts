import { type Clock, timestamp } from '../../lib/clock.ts';
import { tickMs } from '../../lib/files/change-time.ts';
import { statEntry } from '../../lib/files/entry-at.ts';
import { readReal } from '../../lib/files/open-real.ts';
import type { RealPath } from '../../lib/files/real-places.ts';
import { hashBytes } from '../../lib/hash.ts';
import type { Result } from '../../lib/result.ts';
import type { FileHistoryRecord } from '../../protocol/record.ts';
import type { FileContent, FileHistory, WatchedCommand } from '../../protocol/tool.ts';
import { openWatchedFiles, type WatchedFiles } from '../../workspace/watched-files.ts';
import type { WorkspaceSnapshot } from '../snapshot/workspace-snapshot.ts';
import { createFileHistory } from './file-history.ts';
import { type FileLook, isSameLook, linkState, lookAfter, lookBefore } from './file-look.ts';
import { keepBytes } from './kept-bytes.ts';

export interface LedgerParts {
  /** The directory with the kept bytes. */
  directory: string;
  append(record: FileHistoryRecord): Result<void>;
  clock: Clock;
  /** Fails once another process has the session: its files are no longer ours. */
  check?(): Result<void>;
  /** The newest record of each file that agents edited before the session was opened. */
  earlier?: readonly FileHistoryRecord[];
  /** Tracks what commands do to all other files; opened for the first command. Absent where rewind is off. */
  openSnapshot?(isEdited: (path: string) => boolean): Promise<WorkspaceSnapshot>;
  /** Receives messages about a command for the user. */
  notify?(notice: string): void;
  /** An earlier run of the session left files that the snapshot compares before the first command. */
  hasEarlier?: boolean;
}

export interface FileLedger extends FileHistory {
  /** Called at the end of the session. */
  close(): Promise<void>;
}

/** The states a file may have without a change by others: as it was, or as it was about to become. */
interface Known {
  before: FileLook;
  after: FileLook | undefined;
}

/** Larger files are identified by their hash alone. */
const maxKept = 50 * 1024 * 1024;
/** A model takes longer than this to call the next tool; the tool that is about to run comes first. */
const prepareMs = 1_000;

/**
 * The history of files and their known current content, so that a change by a shell command or from outside the session is
 * noticed and told apart from an agent's own. Edited files are checked here, at the cost of an `lstat` per file; all others
 * by the snapshot.
 */
export function openFileLedger(parts: LedgerParts): FileLedger {
  const known = new Map<string, Known>();
  const history = createFileHistory(parts.directory, parts.append, parts.clock, parts.check);
  for (const record of parts.earlier ?? [])
    known.set(record.path, { before: lookBefore(record), after: lookAfter(record) });
  let watched: WatchedFiles | undefined;
  let opening: Promise<WorkspaceSnapshot> | undefined;
  let opened: WorkspaceSnapshot | undefined;
  let cancelPreparing: (() => void) | undefined;
  let isClosed = false;
  const { openSnapshot } = parts;
  const snapshot = () => {
    opening ??= openSnapshot?.((path) => known.has(path)).then((value) => {
      opened = value;
      return value;
    });
    return opening;
  };
  return {
    async keep(path, before, toolUseId, change) {
      if (change?.cause === 'rewind' && !known.has(path) && openSnapshot) {
        const kept = await history.keep(path, before, toolUseId, change);
        if (kept.ok)
          (await snapshot())?.expect(
            path,
            hashContent(change.after ?? null),
            change.modeAfter ?? change.mode,
          );
        return kept;
      }
      await (await opening)?.settleFile(path);
      // A recorded session gets no facts, since a replay could not give the same ones.
      const isFirst = change !== undefined && before !== null && !known.has(path);
      const changedAt = isFirst ? readChangeTime(path) : undefined;
      const facts = { ...change, ...(changedAt === undefined ? {} : { changedAt }) };
      const kept = await history.keep(path, before, toolUseId, facts);
      if (!kept.ok) return kept;
      const { after, ...modes } = change ?? {};
      const hashes = {
        before: hashContent(before),
        after: after === undefined ? undefined : hashContent(after),
      };
      known.set(path, {
        before: lookBefore({ ...modes, ...hashes }),
        after: lookAfter({ ...modes, ...hashes }),
      });
      // Until the write is seen, the file's known state is the old one.
      watched?.watch(path, hashes.before ?? undefined);
      return kept;
    },
    observe,
    ...(openSnapshot
      ? {
          async beginCommand({ toolUseId, agentId, signal }) {
            const prepared = await (await snapshot())?.prepareCommand(toolUseId, agentId, signal);
            let command: WatchedCommand | undefined;
            let isBackground = false;
            const begun = Date.now() - tickMs;
            return {
              start() {
                command ??= prepared?.start();
                if (isBackground) command?.moveToBackground();
              },
              moveToBackground() {
                isBackground = true;
                command?.moveToBackground();
              },
              end() {
                // While the snapshot still knows the command: changes to edited files are attributed to it.
                observeSince('outside', '', begun);
                command?.end();
              },
              async notices() {
                const notices = (await command?.notices()) ?? [];
                for (const notice of notices) parts.notify?.(notice);
                return notices;
              },
            };
          },
          prepareCommands() {
            if (isClosed) return;
            cancelPreparing ??= parts.clock.after(prepareMs, () => {
              // A snapshot that cannot be opened fails the first command, which waits for it.
              snapshot()?.then(
                (ready) => ready.prepare(),
                () => undefined,
              );
            });
          },
          async settleCommands(limitMs, isForRewind = false) {
            if (!opening && !parts.hasEarlier) return;
            const ready = await snapshot();
            await ready?.settle(limitMs, isForRewind);
            if (isForRewind || ready?.tellsMapped === false) observeSince('outside', '', 0);
          },
        }
      : {}),
    async close() {
      isClosed = true;
      cancelPreparing?.();
      await (await opening)?.close();
    },
  };

  function observe(cause: 'shell' | 'outside', toolUseId: string): void {
    observeSince(cause, toolUseId, Number.POSITIVE_INFINITY);
  }

  /** Files changed since that time are read, even if their times are as last seen. */
  function observeSince(cause: 'shell' | 'outside', toolUseId: string, since: number): void {
    if (known.size === 0) return;
    // Compared with the times of files: the system's clock.
    watched ??= openWatchedFiles(Date.now, true);
    for (const { path, now, isMapped } of [...firstLooks(watched), ...watched.changes(since)]) {
      const command = cause === 'outside' ? opened?.findAuthor(path, isMapped) : toolUseId;
      if (command === undefined) note(path, now, 'outside', toolUseId);
      else note(path, now, 'shell', command);
    }
  }

  /** The current state of files that were not looked at before. */
  function firstLooks(files: WatchedFiles): { path: string; now: FileLook; isMapped?: true }[] {
    const fresh = [...known.keys()].filter((path) => files.findMark(path) === undefined);
    return fresh.map((path) => {
      files.watch(path);
      return { path, now: files.findMark(path) ?? { hash: null } };
    });
  }

  function note(path: string, now: FileLook, cause: 'shell' | 'outside', toolUseId: string): void {
    const { before, after } = known.get(path) ?? { before: now, after: now };
    if (isSameLook(now, before)) {
      // The write may not have happened yet.
      known.set(path, { before: now, after });
      return;
    }
    const isExpected = after !== undefined && isSameLook(now, after);
    const hash = isExpected ? now.hash : keepPresent(parts, path, now.hash);
    // An earlier version's content is unknown: it is taken for the agent's.
    if (isExpected || after === undefined) {
      settle(path, { ...now, hash });
      return;
    }
    // An edit that did not happen leaves the file as it was.
    const from = now.hash === before.hash ? before : after;
    // Best effort: a rewind finds a change that cannot be recorded as unknown.
    const noted = parts.append({
      type: 'file-history',
      timestamp: timestamp(parts.clock),
      toolUseId,
      path,
      before: from.hash,
      after: hash,
      cause,
      mode: from.mode,
      modeAfter: now.mode,
    });
    if (noted.ok) settle(path, { ...now, hash });
  }

  function settle(path: string, now: FileLook): void {
    known.set(path, { before: now, after: now });
  }
}

/** The time its bytes, permissions or name last changed. */
function readChangeTime(path: string): string | undefined {
  return statEntry(path)?.ctime.toISOString();
}

function hashContent(content: FileContent): string | null {
  if (content === null) return null;
  return 'link' in content ? linkState(content.link) : hashBytes(content);
}

/** Keeps the present content and returns its hash; the hash that was seen where it cannot be kept. */
function keepPresent(
  { directory, check }: Pick<LedgerParts, 'directory' | 'check'>,
  path: string,
  seen: string | null,
): string | null {
  if (seen === null || check?.().ok === false) return seen;
  const bytes = readPlain(path);
  if (!bytes) return seen;
  const kept = keepBytes(directory, bytes);
  return kept.ok ? kept.value : seen;
}

function readPlain(path: string): Uint8Array | undefined {
  const found = readReal(path as RealPath, maxKept);
  if (found.state !== 'found' || found.value.stat.size > maxKept) return undefined;
  return found.value.bytes;
}
