import { failure, ok, type Result } from '../lib/result.ts';
import { type Engine, maxRowBytes, type NewRow } from './engine.ts';
import { isSignedBy, type JobKey } from './keys.ts';

/** For one purpose: the signature of a row can be used for nothing else. */
const purpose = 'cadre row 1\n';
/** A row with its seal fits the engine if its body has no more bytes than this. */
export const maxBodyBytes = maxRowBytes - 2048;

/** A row of a job with the signature of its writer: whoever can write to the engine cannot write in another's name. */
export interface SealedRow {
  /** Of the writer. */
  signer: string;
  /** Unique in its stream. */
  key: string;
  body: string;
}

/** `subject` is what the row is about: a job, or the work on it (`nameWork`). */
export function sealRow(key: JobKey, subject: string, row: NewRow): NewRow {
  const name = encodeURIComponent(row.key);
  const signature = key.sign(formatSigned(subject, row.stream, name, row.body));
  return { ...row, body: `${key.name} ${signature} ${name}\n${row.body}` };
}

/** Undefined if the row is not what its writer signed, about this subject and for this stream. */
export function openRow(subject: string, stream: string, text: string): SealedRow | undefined {
  const end = text.indexOf('\n');
  const [signer = '', signature = '', name = '', ...more] = text.slice(0, Math.max(0, end)).split(' ');
  const body = text.slice(end + 1);
  if (end < 0 || more.length > 0) return undefined;
  if (!isSignedBy(signer, formatSigned(subject, stream, name, body), signature)) return undefined;
  try {
    return { signer, key: decodeURIComponent(name), body };
  } catch {
    return undefined;
  }
}

function formatSigned(subject: string, stream: string, name: string, body: string): string {
  return `${purpose}${JSON.stringify([subject, stream, name])}\n${body}`;
}

/** Adds a signed row to a job, and wakes whoever has it. */
export async function sendRow(
  engine: Engine,
  key: JobKey,
  jobId: string,
  row: NewRow,
): Promise<Result<void>> {
  const bytes = Buffer.byteLength(row.body);
  if (bytes > maxBodyBytes) return failure(`It has ${bytes} bytes, and at most ${maxBodyBytes} can be sent.`);
  const stored = await engine.append(jobId, [sealRow(key, jobId, row)]);
  if (!stored.ok) return stored;
  await engine.ring(jobId);
  return ok(undefined);
}

const pageRows = 50;

/**
 * Reads the rows that an accepted writer signed, from where it read last. Others, and rows that were stored again, are passed over. A
 * failure is tried again by the next call.
 */
export function openCursor(
  engine: Pick<Engine, 'read'>,
  jobId: string,
  stream: string,
  accepts: (signer: string) => boolean,
  subject = jobId,
): () => Promise<Result<SealedRow[]>> {
  let after = 0;
  const seen = new Set<string>();
  return async () => {
    const found: SealedRow[] = [];
    for (;;) {
      const rows = await engine.read(jobId, stream, after, pageRows);
      if (!rows.ok) return found.length > 0 ? ok(found) : rows;
      for (const { seq, body } of rows.value) {
        after = seq;
        const row = openRow(subject, stream, body);
        if (!row || !accepts(row.signer) || seen.has(row.key)) continue;
        seen.add(row.key);
        found.push(row);
      }
      if (rows.value.length === 0) return ok(found);
    }
  };
}
