import { type Clock, timestamp } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { diffLines } from '../lib/text/diff.ts';
import { escapeHarnessTags, remind } from '../lib/text/harness-tags.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { UserRecord } from '../protocol/index.ts';
import type { FoundCheckpoint } from '../store/checkpoints.ts';
import { readKept } from '../store/files/kept-bytes.ts';
import type { FilePlan } from '../store/files/rewind-files.ts';
import { decodeText } from '../tools/files/text-file.ts';

export interface RewindWish {
  /** The uuid of a prompt, or of a rewind that is to be undone. */
  to: string;
  what: 'conversation' | 'files' | 'both';
  /** Also overwrites files that the user or another program changed since; a copy of each is kept. */
  force?: boolean;
}

/** For whoever waits for it. */
export function describeProgress(done: number, of: number): string {
  const [now, all] = [done, of].map((count) => count.toLocaleString('en-US'));
  return `restoring ${now} of ${all}`;
}

export interface RewindReport extends LineCount {
  to: Pick<FoundCheckpoint, 'uuid' | 'kind' | 'at' | 'text' | 'prompt'>;
  what: RewindWish['what'];
  /** Files that hold again what they held then. */
  restored: string[];
  /** Files that did not exist then. */
  removed: string[];
  /** How many changed files hold what they held then already. */
  unchanged: number;
  /** Files that stay as they are, and why. With `needsForce` it takes `force`. */
  refused: { path: string; reason: string; needsForce?: true; isLink?: true }[];
  /** Where the content of overwritten files is kept that the user or another program had changed. */
  copies: { path: string; copy: string }[];
  /** The ids of background work that is ended by it. */
  ends: string[];
  /** What going back does not undo, in sentences. */
  beyond: string[];
  /** Files that existed then may be missing, or other than they were, without being named as refused. */
  isIncomplete: boolean;
}

export interface LineCount {
  /** Lines that come and go in text files, all together. */
  insertions: number;
  deletions: number;
}

/** Larger ones are not compared line by line. */
const maxCompared = 1024 * 1024;

export function countLines(plans: readonly FilePlan[], directory: string): LineCount {
  const total = { insertions: 0, deletions: 0 };
  for (const { action, target, present } of plans) {
    if (action !== 'restore' && action !== 'remove') continue;
    const then = target === null ? undefined : readKept(directory, target);
    const before = present.kind === 'file' ? decodeComparable(present.bytes) : '';
    const after = then?.ok ? decodeComparable(then.value) : '';
    for (const { lines } of diffLines(before, after))
      for (const line of lines) {
        if (line.startsWith('+')) total.insertions++;
        if (line.startsWith('-')) total.deletions++;
      }
  }
  return total;
}

function decodeComparable(bytes: Uint8Array): string {
  return bytes.length > maxCompared || bytes.includes(0) ? '' : decodeText(bytes).text;
}

const maxNamed = 20;

/**
 * What the agent must know of a rewind to go on: files that are other than it believes. None where conversation and
 * files fit together.
 */
export function buildRewindNote(
  { what, restored, removed, refused }: RewindReport,
  place: { head: string | null; sessionId: string; clock: Clock; ids: Ids },
): UserRecord | undefined {
  const changed = [...restored, ...removed];
  const lines =
    what === 'files'
      ? [
          ...listed('The user put these files back to how they were earlier in this session:', restored),
          ...listed('The user undid these new files, they are gone:', removed),
        ]
      : listed(
          'The user went back in this conversation. These files were changed after this point, and are as they were left:',
          refused.map(({ path }) => path),
        );
  if (what === 'conversation' || lines.length === 0 || (what === 'files' && changed.length === 0))
    return undefined;
  const text = remind([...lines, 'Read a file before you rely on it.'].join('\n'));
  return {
    type: 'user',
    uuid: place.ids.uuid(),
    parentUuid: place.head,
    sessionId: place.sessionId,
    timestamp: timestamp(place.clock),
    isSidechain: false,
    message: { role: 'user', content: [{ type: 'text', text }] },
    origin: { kind: 'harness' },
  };
}

function listed(title: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > maxNamed ? [`- and ${paths.length - maxNamed} more`] : [];
  return [
    title,
    ...paths.slice(0, maxNamed).map((path) => `- ${escapeHarnessTags(visibleLine(path, 1_000))}`),
    ...more,
  ];
}
