import { listLeaseNames } from '../../lib/leases/claims.ts';
import { systemMachine } from '../../lib/machine.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { isSessionId, type Layout } from '../../store/layout.ts';
import { type SessionSummary, summarise } from '../../store/summary.ts';
import { findTranscripts } from '../../store/transcript-files.ts';
import { locateRunning } from '../../workspace/running.ts';
import { findSessionOwner, type SessionOwner } from '../owner.ts';

/** A session that a process of this machine has open. */
export interface LiveEntry {
  id: string;
  owner: SessionOwner;
  /** Absent before its first message. */
  summary: SessionSummary | undefined;
}

/** Those with the newest message first. */
export async function listLive({ home, ...layout }: Layout): Promise<LiveEntry[]> {
  const files = new Map(findTranscripts({ home, ...layout }).map((file) => [file.id, file]));
  const found: LiveEntry[] = [];
  for (const id of listLeaseNames(locateRunning(home, systemMachine)).filter(isSessionId)) {
    const owner = findSessionOwner(home, id);
    const file = files.get(id);
    if (owner) found.push({ id, owner, summary: file && (await summarise(file)) });
  }
  const age = ({ summary, owner }: LiveEntry) => summary?.modifiedAt ?? owner.since;
  return found.sort((one, other) => age(other) - age(one));
}

/** By id, by the beginning of an id, or by title. Undefined: no live session is meant. */
export function pickLive(live: readonly LiveEntry[], word: string): Result<LiveEntry | undefined> {
  const wanted = word.trim().toLowerCase();
  const byId = live.filter(({ id }) => id.toLowerCase().startsWith(wanted));
  const found =
    byId.length > 0 ? byId : live.filter(({ summary }) => summary?.title.toLowerCase() === wanted);
  const [only, another] = found;
  if (!another) return ok(only);
  return usage(
    `"${visibleLine(word, 60)}" matches ${found.length} running sessions.`,
    `Give more of the id:\n${found.map(describeLive).join('\n')}`,
  );
}

export function describeLive({ id, summary }: Pick<LiveEntry, 'id' | 'summary'>): string {
  return `  ${id}  ${summary ? visibleLine(summary.title, 60) : '(no message yet)'}`;
}
