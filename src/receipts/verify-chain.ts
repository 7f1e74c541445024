import { type Disk, type DiskFile, systemDisk } from '../lib/files/disk.ts';
import { type Anchor, type FilePart, listFound } from '../store/anchors/anchors.ts';
import { type ChainPoint, LineChain } from '../store/anchors/line-chain.ts';

/** One file of a run, under the name that its anchors have. */
export interface RunFile {
  name: string;
  path: string;
  /** A process may have ended before its first anchor: then it is no fault, and no evidence. */
  mayLackAnchor?: boolean;
}

export interface ChainCheck {
  file: string;
  path: string;
  /** How many lines agree with an anchor. */
  lines: number;
  /** The bytes from and to which the file agrees with its anchors. Records elsewhere may be anybody's. */
  parts: FilePart[];
  /** Within them: what a process found in the file and did not see being written. */
  found: FilePart[];
  /** Contradictions between the file and its anchors, in sentences. Any of them means that the file is not what was written. */
  faults: string[];
  /** What a reader should know, and what is no fault. */
  notes: string[];
}

const neverAnchored =
  'There is no anchor for it: the session was killed before the first one. It cannot be verified, and confirms nothing.';
const chunkBytes = 256 * 1024;

/** Compares a file with its anchors. Later lines are no fault, since a killed process leaves some, and no evidence. */
export async function verifyChain(
  { name, path, mayLackAnchor }: RunFile,
  anchors: readonly Anchor[],
  disk: Disk = systemDisk,
): Promise<ChainCheck> {
  const check: ChainCheck = {
    file: name,
    path,
    lines: 0,
    parts: [],
    found: listFound(anchors),
    faults: [],
    notes: [],
  };
  if (anchors.length === 0) {
    if (mayLackAnchor) check.notes.push(neverAnchored);
    else check.faults.push('There is no anchor for it, so it cannot be verified.');
    return check;
  }
  let file: DiskFile;
  try {
    file = disk.open(path, { access: 'read' });
  } catch {
    check.faults.push('The file is missing or cannot be read.');
    return check;
  }
  try {
    const starts = new Set(anchors.map(({ from }) => from));
    for (const from of starts) {
      const own = anchors.filter((anchor) => anchor.from === from);
      await followAnchors(file, from, own, check);
    }
    noteFound(anchors, check);
  } finally {
    file.close();
  }
  return check;
}

async function followAnchors(
  file: DiskFile,
  from: number,
  anchors: readonly Anchor[],
  check: ChainCheck,
): Promise<void> {
  const { size } = file.stat();
  const waiting = [...anchors].sort((one, other) => one.bytes - other.bytes);
  const last = waiting.at(-1);
  const chain = new LineChain(from);
  let good: ChainPoint = chain.point;
  let isBroken = false;
  const compare = (point: ChainPoint) => {
    for (let next = waiting[0]; next && next.bytes <= point.bytes; next = waiting[0]) {
      waiting.shift();
      isBroken ||= next.bytes !== point.bytes || next.hash !== point.hash;
      if (isBroken) {
        check.faults.push(describeFault(good, next));
        waiting.length = 0;
      } else good = point;
    }
  };
  await readThrough(file, chain, (point) => {
    if (!isBroken) compare(point);
    return !isBroken;
  });
  const missed = waiting[0];
  if (!isBroken && missed) check.faults.push(describeCut(good, missed, last ?? missed, size));
  check.lines = Math.max(check.lines, good.lines);
  check.parts.push({ from, to: good.bytes });
  if (from > 0) check.notes.push(`Its first ${from} bytes were written before it had an anchor.`);
  if (!isBroken && !missed) noteTail(chain, good, size, check);
}

function describeFault(good: ChainPoint, { lines, at }: Anchor): string {
  const where = good.lines + 1 === lines ? `Line ${lines}` : `Lines ${good.lines + 1} to ${lines}`;
  return `${where} are not what was written: they do not match the anchor of ${at}.`.replace(
    /^(Line \d+) are (.*) they do/,
    '$1 is $2 it does',
  );
}

function describeCut(good: ChainPoint, missed: Anchor, last: Anchor, size: number): string {
  return (
    `Its end is missing: the anchor of ${last.at} covers ${last.lines} lines (${last.bytes} bytes), the file has ${size} bytes` +
    `${missed === last ? '' : `; lines from ${good.lines + 1} on do not agree`}.`
  );
}

/** Lines behind the last anchor: their process was killed before it anchored them, or still runs. */
function noteTail(chain: LineChain, good: ChainPoint, size: number, check: ChainCheck): void {
  const more = chain.point.lines - good.lines;
  if (more > 0)
    check.notes.push(
      `The last ${more === 1 ? 'line was' : `${more} lines were`} written after the last anchor and cannot be verified yet.`,
    );
  const torn = size - chain.point.bytes;
  if (torn > 0)
    check.notes.push(
      `Its last line is torn (${torn} bytes), as a kill leaves it. It was never acknowledged, and resuming repairs it.`,
    );
}

function noteFound(anchors: readonly Anchor[], check: ChainCheck): void {
  const found = anchors.reduce((sum, anchor) => sum + (anchor.found ?? 0), 0);
  if (found > 0)
    check.notes.push(
      `${found} bytes were anchored as they were found when the run was resumed: the process that wrote them had been killed before, or another one wrote beside it. They confirm no claim.`,
    );
}

/** Calls back at the end of each line, until told to stop. */
async function readThrough(
  file: DiskFile,
  chain: LineChain,
  onLine: (point: ChainPoint) => boolean,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (let goesOn = true; goesOn; ) {
    const read = await file.readSoon(buffer, chain.end);
    if (read === 0) return;
    chain.push(buffer.subarray(0, read), (point) => {
      goesOn &&= onLine(point);
    });
  }
}
