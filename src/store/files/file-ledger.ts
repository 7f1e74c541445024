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
  /** Holds the kept bytes. */
  directory: string;
  append(record: FileHistoryRecord): Result<void>;
  clock: Clock;
  /** The newest record of each file that agents edited before the session was opened. */
  earlier?: readonly FileHistoryRecord[];
  /** Knows what commands do to all other files; opened for the first command. Absent where there is no rewind. */
  openSnapshot?(isEdited: (path: string) => boolean): Promise<WorkspaceSnapshot>;
  /** Told what the user must know of a command. */
  notify?(notice: string): void;
  /** An earlier run of the session left files that the snapshot compares before the first command. */
  hasEarlier?: boolean;
}

export interface FileLedger extends FileHistory {
  /** For the end of the session. */
  close(): Promise<void>;
}

/** How a file may look without anybody else having been at it: as it was, or as it was about to become. */
interface Known {
  before: FileLook;
  after: FileLook | undefined;
}

/** Larger ones are known by their hash alone. */
const maxKept = 50 * 1024 * 1024;
/** A model takes longer than this to ask for the next tool; the one that is about to run comes first. */
const prepareMs = 1_000;

/**
 * The history of files, and what it knows of each file's present content: so that a change by a shell command, or from
 * outside the session, is noticed and can be told from an agent's own. Edited files are looked at here, which costs an
 * `lstat` per file; all others by the snapshot.
 */
export function openFileLedger(parts: LedgerParts): FileLedger {
  const known = new Map<string, Known>();
  const history = createFileHistory(parts.directory, parts.append, parts.clock);
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
          (await snapshot())?.expect(path, hashContent(change.after ?? null), change.modeAfter ?? change.mode);
        return kept;
      }
      await (await opening)?.settleFile(path);
      // On a tape no facts are given, since a replay could not give the same.
      const isFirst = change !== undefined && before !== null && !known.has(path);
      const changedAt = isFirst ? readChangeTime(path) : undefined;
      const facts = { ...change, ...(changedAt === undefined ? {} : { changedAt }) };
      const kept = await history.keep(path, before, toolUseId, facts);
      if (!kept.ok) return kept;
      const { after, ...modes } = change ?? {};
      const hashes = { before: hashContent(before), ...(after === undefined ? {} : { after: hashContent(after) }) };
      known.set(path, {
        before: lookBefore({ ...modes, ...hashes }),
        after: lookAfter({ ...modes, ...hashes }),
      });
      // Until the write is seen the file is known as it was.
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
                // While the snapshot still knows the command: its changes to edited files are its own.
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

  /** Files that changed from that time on are read, also where they are as they were last seen by their times. */
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

  /** Files that were not looked at before, as they are. */
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
      // The write may be still to come.
      known.set(path, { before: now, after });
      return;
    }
    const isExpected = after !== undefined && isSameLook(now, after);
    const hash = isExpected ? now.hash : keepPresent(parts.directory, path, now.hash);
    // What an earlier version wrote is not known: it is taken for the agent's.
    if (isExpected || after === undefined) {
      settle(path, { ...now, hash });
      return;
    }
    // An edit that was not made after all leaves the file as it was.
    const from = now.hash === before.hash ? before : after;
    // Best effort: a change that cannot be noted is found as unknown by a rewind.
    const noted = parts.append({
      type: 'file-history',
      timestamp: timestamp(parts.clock),
      ...{ toolUseId, path, before: from.hash, after: hash, cause },
      ...(from.mode === undefined ? {} : { mode: from.mode }),
      ...(now.mode === undefined ? {} : { modeAfter: now.mode }),
    });
    if (noted.ok) settle(path, { ...now, hash });
  }

  function settle(path: string, now: FileLook): void {
    known.set(path, { before: now, after: now });
  }
}

/** Of its bytes, its permissions or its name. */
function readChangeTime(path: string): string | undefined {
  return statEntry(path)?.ctime.toISOString();
}

function hashContent(content: FileContent): string | null {
  if (content === null) return null;
  return 'link' in content ? linkState(content.link) : hashBytes(content);
}

/** Keeps what is there now and returns its hash; that which was seen where it cannot be kept. */
function keepPresent(directory: string, path: string, seen: string | null): string | null {
  if (seen === null) return null;
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
