import { dirname } from 'node:path';
import { type Disk, systemDisk } from '../lib/files/disk.ts';
import { ensurePrivateDirectory } from '../lib/files/files.ts';
import { isThere, measureFile, removeQuietly } from '../lib/files/small-files.ts';
import {
  type Damage,
  type JsonlWriter,
  openJsonlWriter,
  type RecordPlace,
  readJsonl,
} from '../lib/jsonl/jsonl.ts';
import type { LineReader } from '../lib/jsonl/jsonl-line.ts';
import { failure, ok, type Result, usage } from '../lib/result.ts';
import { type HeaderRecord, type TranscriptRecord, transcriptFormat } from '../protocol/record.ts';
import type { RecordChain } from './anchors/record-chain.ts';
import { checkRecord } from './check-record.ts';
import { EpochOrder } from './epoch-order.ts';

/** An open transcript. Records are only ever added. */
export interface Transcript {
  readonly path: string;
  /** The record is with the operating system when this returns: a kill cannot lose it. A failed append leaves no trace. */
  append(record: TranscriptRecord): Result<void>;
  /** When ends of agents, and what is told of them, survive a power cut; undefined if they do. Wait before anything acts on them. */
  synced(): Promise<void> | undefined;
  close(): void;
}

export interface LoadedTranscript {
  path: string;
  header?: HeaderRecord;
  /** Everything but the header, in the order of the file. */
  records: Exclude<TranscriptRecord, HeaderRecord>[];
  damage: Damage[];
  /** Messages from before the last compaction were passed over. */
  isPartial?: true;
  /** Records of types that this version does not know. They stay in the file. */
  unknown: number;
  /** The newest epoch that wrote to it. */
  epoch?: number;
  /** Records of a process that no longer had the session when it wrote them: they are ignored. */
  late?: RecordPlace[];
  /** Records right behind which something could not be read, or was not known. A write that was cut off at the end is not among that. */
  unreadAfter?: ReadonlySet<object>;
}

/** Starts a transcript. An existing one is never overwritten. `chain` anchors its records. */
export function createTranscript(
  path: string,
  header: HeaderRecord,
  disk: Disk = systemDisk,
  chain?: RecordChain,
): Result<Transcript> {
  if (isThere(path, disk)) {
    return usage(`A session already exists at ${path}.`, 'Resume it, or choose another session id.');
  }
  const directory = ensurePrivateDirectory(dirname(path), disk);
  if (!directory.ok) return directory;
  const opened = openJsonlWriter(path, 'create', disk, chain);
  if (!opened.ok) return opened;
  const begun = opened.value.append(header);
  if (begun.ok) return ok(markTurns(opened.value, chain));
  opened.value.close();
  removeQuietly(path, disk);
  return begun;
}

/** Continues a transcript; a torn tail is closed off by the first append. */
export function reopenTranscript(
  path: string,
  disk: Disk = systemDisk,
  chain?: RecordChain,
): Result<Transcript> {
  const opened = openJsonlWriter(path, 'existing', disk, chain);
  return opened.ok ? ok(markTurns(opened.value, chain)) : opened;
}

/**
 * Renews the anchor with every answer of the model, which ends or continues a turn, and with the verdicts on claims. Ends of agents,
 * with their results, and what agents are told of them are synced to disk.
 */
function markTurns(writer: JsonlWriter, chain: RecordChain | undefined): Transcript {
  return {
    path: writer.path,
    append(record) {
      const written = writer.append(record);
      if (!written.ok) return written;
      if (record.type === 'assistant' || record.type === 'report') chain?.anchor();
      if (isEnd(record)) writer.syncSoon();
      return written;
    },
    synced: () => writer.synced(),
    close: () => writer.close(),
  };
}

function isEnd(record: TranscriptRecord): boolean {
  return record.type === 'user'
    ? record.origin.kind === 'task-notification'
    : record.type === 'task-state' && record.end !== undefined;
}

/** Reads everything readable, into memory. Damage is reported, never fatal; only a newer format and a huge file are refused. */
export async function loadTranscript(
  path: string,
  disk: Disk = systemDisk,
  /** Called with where each record is in the file. */
  place?: (record: LoadedTranscript['records'][number], at: RecordPlace) => void,
): Promise<Result<LoadedTranscript>> {
  const size = measureFile(path, disk);
  if (size > maxWholeBytes) return refuseSize(path, size);
  const records: LoadedTranscript['records'] = [];
  const take = (record: LoadedTranscript['records'][number], at: RecordPlace) => {
    records.push(record);
    place?.(record, at);
  };
  const read = await readRecords(path, take, disk);
  return read.ok ? ok({ ...read.value, records }) : read;
}

/** The same one record after another, for those who keep few of them: a transcript may be larger than the memory. */
export async function readRecords(
  path: string,
  take: (record: LoadedTranscript['records'][number], at: RecordPlace) => void,
  disk: Disk = systemDisk,
): Promise<Result<Omit<LoadedTranscript, 'records'>>> {
  const seen: Omit<LoadedTranscript, 'records'> = { path, damage: [], unknown: 0 };
  const late: RecordPlace[] = [];
  const unreadAfter = new Set<object>();
  let last: object | undefined;
  const noteUnread = (after: object | undefined) => void (after && unreadAfter.add(after));
  const order = new EpochOrder<FoundRecord>({
    accept({ record, place }) {
      if (record.type !== 'cadre-transcript') take(record, place);
      else if (record.format <= transcriptFormat) seen.header ??= record;
    },
    ignoreLate: ({ place }) => void late.push(place),
    reportWrong({ place, record, after }) {
      noteUnread(after);
      const { type, epoch } = record as { type: string; epoch?: number };
      const reason = `a record of type ${type} with the epoch ${epoch}, which no other record has`;
      seen.damage.push({ ...place, reason });
    },
  });
  let newerFormat: number | undefined;
  const reader: LineReader = {
    onRecord(found, place) {
      const checked = checkRecord(found);
      if (checked.kind === 'good') {
        const { record } = checked;
        order.add(found, { record, place, after: last });
        last = record;
        if (record.type === 'cadre-transcript' && record.format > transcriptFormat)
          newerFormat = record.format;
        return newerFormat === undefined;
      }
      noteUnread(last);
      if (checked.kind === 'unknown') seen.unknown++;
      else seen.damage.push({ ...place, reason: checked.reason });
      return true;
    },
    onDamage(damage) {
      if (!damage.isCutOff) noteUnread(last);
      seen.damage.push(damage);
    },
  };
  const read = await readJsonl(path, reader, disk);
  if (!read.ok) return read;
  if (newerFormat !== undefined) return refuseNewer(path, newerFormat);
  if (!seen.header) seen.damage.unshift({ line: 1, offset: 0, length: 0, reason: 'no readable header' });
  order.end();
  // Where a record was held back, damage behind it was found first.
  seen.damage.sort((one, other) => one.offset - other.offset);
  return ok({ ...seen, epoch: order.newest, late, unreadAfter });
}

interface FoundRecord {
  record: TranscriptRecord;
  place: RecordPlace;
  /** The record before it. */
  after: object | undefined;
}

/** No model has a window for so much. */
const maxWholeBytes = 256 * 1024 * 1024;

function refuseSize(path: string, size: number): Result<never> {
  const [found, most] = [size, maxWholeBytes].map((bytes) => Math.round(bytes / 1024 / 1024));
  return failure(
    `${path} is ${found} MB long; above ${most} MB only the part after a compaction can be read.`,
    'Start a new session; this one is not changed.',
  );
}

function refuseNewer(path: string, format: number): Result<never> {
  return failure(
    `${path} was written by a newer Cadre: its format is ${format}, this version reads up to ${transcriptFormat}.`,
    'Update Cadre to open this session.',
  );
}
