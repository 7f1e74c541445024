import { z } from 'zod';
import type { NewRow } from './engine.ts';
import { parseQuietly } from './job.ts';
import { isSignedBy, type JobKey } from './keys.ts';

const envelopeSchema = z.object({ body: z.string(), signature: z.string() });

/** For one purpose, one job and one stream: nothing that was signed can be used as anything else. */
const purpose = 'cadre row 1\n';

/**
 * A row from the submitter to a job that is running: a message, an answer, a stop. A worker does what it says, so it is signed like
 * the order: whoever can only write to the engine cannot instruct an agent or approve its calls.
 */
export function signRow(key: JobKey, jobId: string, { stream, key: name, body }: NewRow): NewRow {
  const signature = key.sign(formatSigned(jobId, stream, body));
  return { stream, key: name, body: JSON.stringify({ body, signature }) };
}

/** The content of a row, if this key signed it for this job and stream. */
export function openRow(signer: string, jobId: string, stream: string, text: string): string | undefined {
  const envelope = envelopeSchema.safeParse(parseQuietly(text));
  if (!envelope.success) return undefined;
  const { body, signature } = envelope.data;
  return isSignedBy(signer, formatSigned(jobId, stream, body), signature) ? body : undefined;
}

function formatSigned(jobId: string, stream: string, body: string): string {
  return purpose + JSON.stringify([jobId, stream, body]);
}
