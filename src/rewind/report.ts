import { breather } from '../lib/breathe.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { diffLines } from '../lib/text/diff.ts';
import { escapeHarnessTags, remind } from '../lib/text/harness-tags.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { UserRecord } from '../protocol/index.ts';
import type { FoundCheckpoint } from '../store/checkpoints.ts';
import { measureKept, readKept } from '../store/files/kept-bytes.ts';
import { readSeen } from '../store/files/present-file.ts';
import type { FilePlan } from '../store/files/rewind-files.ts';
import { decodeText } from '../tools/files/text-file.ts';

export interface RewindWish {
  /** The uuid of a prompt, or of a rewind to undo. */
  to: string;
  what: 'conversation' | 'files' | 'both';
  /** Also overwrites files that the user or another program changed since; a copy of each is kept. */
  force?: boolean;
}

/** Shown to the user during a rewind. */
export function describeProgress(done: number, of: number): string {
  const [now, all] = [done, of].map((count) => count.toLocaleString('en-US'));
  return `restoring ${now} of ${all}`;
}

export interface RewindReport extends LineCount {
  to: Pick<FoundCheckpoint, 'uuid' | 'kind' | 'at' | 'text' | 'prompt'>;
  what: RewindWish['what'];
  /** Files whose earlier content is restored. */
  restored: string[];
  /** Files that did not exist then. */
  removed: string[];
  /** Number of changed files that already have their earlier content. */
  unchanged: number;
  /** Files that stay as they are, and why. `needsForce` means that `force` would restore them, `isOutside` that another working directory would. */
  refused: { path: string; reason: string; needsForce?: true; isLink?: true; isOutside?: true }[];
  /** Copies of overwritten files that the user or another program had changed. */
  copies: { path: string; copy: string }[];
  /** The ids of background tasks that the rewind ends. */
  ends: string[];
  /** Effects that rewinding does not undo, in sentences. */
  beyond: string[];
  /** Files that existed then may be missing or different without being listed as refused. */
  isIncomplete: boolean;
}

export interface LineCount {
  /** Added and removed lines in text files, in total, as far as they are counted. */
  insertions: number;
  deletions: number;
}

/** Larger ones are not compared line by line. A comparison takes up to 0.2 s for a megabyte. */
const maxCompared = 1024 * 1024;
/** Of all files together: two seconds. Lines of files beyond it are not counted. */
const maxComparedInTotal = 16 * 1024 * 1024;

/** One file at a time, so that the bytes of two are held at most; other work runs in between. */
export async function countLines(
  plans: readonly FilePlan[],
  directory: string,
  maxTotal = maxComparedInTotal,
): Promise<LineCount> {
  const total = { insertions: 0, deletions: 0 };
  const breathe = breather();
  let room = maxTotal;
  for (const plan of plans) {
    if (plan.action !== 'restore' && plan.action !== 'remove') continue;
    const sizes = measureBoth(plan, directory);
    if (sizes.some((size) => size > maxCompared)) continue;
    room -= sizes.reduce((sum, size) => sum + size, 0);
    if (room < 0) break;
    const [before, after] = readBoth(plan, directory);
    if (before === undefined || after === undefined) continue;
    for (const { lines } of diffLines(before, after))
      for (const line of lines) {
        if (line.startsWith('+')) total.insertions++;
        if (line.startsWith('-')) total.deletions++;
      }
    await breathe();
  }
  return total;
}

/** Of the present content, and of that from then. */
function measureBoth({ target, present }: FilePlan, directory: string): [number, number] {
  return [
    present.kind === 'file' ? present.size : 0,
    target === null ? 0 : (measureKept(directory, target) ?? 0),
  ];
}

function readBoth({ path, target, present }: FilePlan, directory: string): (string | undefined)[] {
  const now = present.kind === 'file' ? readSeen(path, present) : undefined;
  const then = target === null ? undefined : readKept(directory, target);
  return [now?.kind === 'file' ? now.bytes : noBytes, then?.ok ? then.value : noBytes].map(decodeComparable);
}

const noBytes = new Uint8Array();

/** Undefined where it is not text. */
function decodeComparable(bytes: Uint8Array): string | undefined {
  return bytes.includes(0) ? undefined : decodeText(bytes).text;
}

const maxNamed = 20;

/**
 * Note to the agent after a rewind: files that differ from what its conversation says. None where conversation and files
 * match.
 */
export function buildRewindNote(
  { what, restored, removed, refused }: RewindReport,
  place: { head: string | null; sessionId: string; clock: Clock; ids: Ids },
): UserRecord | undefined {
  const changed = [...restored, ...removed];
  const lines =
    what === 'files'
      ? [
          ...listed('The user restored these files to an earlier state:', restored),
          ...listed('The user removed these new files; they no longer exist:', removed),
        ]
      : listed(
          'The user rewound this conversation. These files were changed after this point and were not restored:',
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
