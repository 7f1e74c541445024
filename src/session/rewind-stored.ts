import { dirname, resolve } from 'node:path';
import { failure, ok, type Result } from '../lib/result.ts';
import { createFileHistory } from '../store/file-history.ts';
import { sessionLayoutIn } from '../store/layout.ts';
import type { SessionSummary } from '../store/sessions.ts';
import { reopenTranscript } from '../store/transcript.ts';
import { findRoot } from '../workspace/workspace.ts';
import { claimSession } from './owner.ts';
import type { RewindPlace } from './rewind.ts';
import { apartFrom } from './rewind-apart.ts';
import type { Surroundings } from './surroundings.ts';

export interface StoredRewind {
  place: RewindPlace;
  /** Gives the session back. */
  close(): void;
}

/** To look at what a rewind would do, also in a session that somebody has open. */
export function previewPlace(
  { id, path, cwd = '' }: SessionSummary,
  around: Surroundings,
  moreRoots: readonly string[],
): RewindPlace {
  const append = () => failure('Nothing is changed by a look.');
  const files = sessionLayoutIn(dirname(path), id);
  return placeOf({ id, files, cwd: cwd || around.cwd, append, around, moreRoots });
}

/** A session that nobody has open, held so that nobody opens it meanwhile. */
export function openStoredRewind(
  { id, path, cwd }: SessionSummary,
  around: Surroundings,
  moreRoots: readonly string[],
): Result<StoredRewind> {
  const files = sessionLayoutIn(dirname(path), id);
  const claim = claimSession(around.layout.home, id, files.directory, around.ids);
  if (!claim.ok) return claim;
  const transcript = reopenTranscript(path);
  if (!transcript.ok) {
    claim.value();
    return transcript;
  }
  const { append, close } = transcript.value;
  const place = { id, files, cwd: cwd ?? around.cwd, append, around, moreRoots };
  return ok({
    place: placeOf(place),
    close() {
      close();
      claim.value();
    },
  });
}

function placeOf(stored: {
  id: string;
  files: RewindPlace['files'];
  cwd: string;
  append: RewindPlace['append'];
  around: Surroundings;
  moreRoots: readonly string[];
}): RewindPlace {
  const { id, files, cwd, append, around, moreRoots } = stored;
  return {
    sessionId: id,
    files,
    roots: [findRoot(cwd) ?? cwd, cwd, ...moreRoots.map((root) => resolve(around.cwd, root))],
    apart: apartFrom(around.home, id, cwd),
    history: createFileHistory(files.fileHistory, append, around.clock),
    append,
    clock: around.clock,
    ids: around.ids,
  };
}
