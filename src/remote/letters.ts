import { z } from 'zod';
import { ok, type Result } from '../lib/result.ts';
import type { Engine } from './engine.ts';
import { parseQuietly, type SignedOrder } from './job.ts';
import { openRow } from './sign-rows.ts';

/** A message to the agent. */
const letterSchema = z.object({ uuid: z.string(), text: z.string(), delivery: z.enum(['steer', 'queue']) });

export type RemoteLetter = z.output<typeof letterSchema>;

export function parseLetter(body: string): RemoteLetter | undefined {
  const letter = letterSchema.safeParse(parseQuietly(body));
  return letter.success ? letter.data : undefined;
}

/** Reads a stream from where it was read last. A failure is tried again by the next call. */
export function openCursor(engine: Engine, jobId: string, stream: string, from = 0) {
  let after = from;
  return async (): Promise<Result<string[]>> => {
    const bodies: string[] = [];
    for (;;) {
      const rows = await engine.read(jobId, stream, after, pageRows);
      if (!rows.ok) return bodies.length > 0 ? ok(bodies) : rows;
      if (rows.value.length === 0) return ok(bodies);
      bodies.push(...rows.value.map(({ body }) => body));
      after = rows.value.at(-1)?.seq ?? after;
    }
  };
}

/** What the submitter sent: rows that its key did not sign for this job and stream are left out. */
export function openSignedCursor(engine: Engine, { id, signer }: SignedOrder, stream: string) {
  const read = openCursor(engine, id, stream);
  return async (): Promise<Result<string[]>> => {
    const found = await read();
    return found.ok ? ok(found.value.flatMap((text) => openRow(signer, id, stream, text) ?? [])) : found;
  };
}

const pageRows = 50;
