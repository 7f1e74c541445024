import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { failure, ok, type Result } from '../../lib/result.ts';
import type { FileHistoryRecord, TranscriptRecord } from '../../protocol/index.ts';
import type { RewindPlace } from '../../rewind/rewind.ts';
import { apartFrom } from '../../rewind/snapshot.ts';
import { claimSession } from '../../session/owner.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import { Anchors } from '../../store/anchors/anchors.ts';
import { leadFile, RecordChain } from '../../store/anchors/record-chain.ts';
import { fenceTranscript } from '../../store/fence.ts';
import { createFileHistory } from '../../store/files/file-history.ts';
import { createSessionLayout, locateAnchors } from '../../store/layout.ts';
import type { SessionSummary } from '../../store/sessions.ts';
import { loadTranscript, reopenTranscript } from '../../store/transcript.ts';
import { findRoot } from '../../workspace/workspace.ts';

export interface StoredRewind {
  place: RewindPlace;
  /** Gives the session back. */
  close(): void;
}

/** For a preview of a rewind, also in a session that is open in another process. */
export function previewPlace(
  { id, path, cwd = '' }: SessionSummary,
  around: Surroundings,
  moreRoots: readonly string[],
): RewindPlace {
  const append = () => failure('Viewing changes nothing.');
  const files = createSessionLayout(dirname(path), id);
  return buildPlace({ id, files, cwd: cwd || around.cwd, append, around, moreRoots, isLook: true });
}

/** A session that no process has open, claimed so that none opens it meanwhile. */
export function openStoredRewind(
  { id, path, cwd }: SessionSummary,
  around: Surroundings,
  moreRoots: readonly string[],
): Result<StoredRewind> {
  const files = createSessionLayout(dirname(path), id);
  const hint = 'Use /rewind there, or close it and try again.';
  const claim = claimSession({
    ...{ home: around.layout.home, sessionId: id, hint },
    ...{ directory: files.directory, transcript: path },
  });
  if (!claim.ok) return claim;
  const anchors = new Anchors(locateAnchors(around.layout.home, id), around.clock);
  const opened = reopenTranscript(path, undefined, new RecordChain(anchors, leadFile));
  if (!opened.ok) {
    claim.value.release();
    return opened;
  }
  const { append, close } = fenceTranscript(opened.value, claim.value);
  const place = { id, files, cwd: cwd ?? around.cwd, append, around, moreRoots };
  return ok({
    place: buildPlace(place),
    close() {
      close();
      anchors.close();
      claim.value.release();
    },
  });
}

function buildPlace(stored: {
  id: string;
  files: RewindPlace['files'];
  cwd: string;
  append: RewindPlace['append'];
  around: Surroundings;
  moreRoots: readonly string[];
  isLook?: boolean;
}): RewindPlace {
  const { id, files, cwd, append, around, moreRoots } = stored;
  const roots = [findRoot(cwd) ?? cwd, cwd, ...moreRoots.map((root) => resolve(around.cwd, root))];
  return {
    sessionId: id,
    files,
    roots,
    settle: () => settleCut({ ...stored, roots }),
    apart: apartFrom(around.home, id, cwd),
    history: createFileHistory(files.fileHistory, append, around.clock),
    append,
    env: { ...around.environment },
    clock: around.clock,
    ids: around.ids,
  };
}

/** The process that had the session open was killed: the changes of its last commands are searched for now. */
async function settleCut(stored: {
  id: string;
  files: RewindPlace['files'];
  cwd: string;
  append: RewindPlace['append'];
  around: Surroundings;
  roots: readonly string[];
  isLook?: boolean;
}): Promise<TranscriptRecord[]> {
  const { id, files, cwd, append, around, roots, isLook } = stored;
  if (!existsSync(files.snapshot)) return [];
  const seen: TranscriptRecord[] = [];
  const loaded = await loadTranscript(files.transcript);
  // Edited files had their own watcher, which ended with the process.
  const edited = new Map<string, FileHistoryRecord>();
  for (const record of loaded.ok ? loaded.value.records : [])
    if (record.type === 'file-history' && (record.cause === undefined || edited.has(record.path)))
      edited.set(record.path, record);
  const { openSessionSnapshot } = await import('../../rewind/snapshot.ts');
  const snapshot = openSessionSnapshot({
    files,
    sessionId: id,
    around: { ...around, cwd },
    env: { ...around.environment },
    earlier: [...edited.values()],
    append: (record) => (isLook ? ok(void seen.push(record)) : append(record)),
    isEdited: () => false,
    roots: () => roots,
    isLook,
  });
  await snapshot.settle();
  await snapshot.close();
  return seen;
}
