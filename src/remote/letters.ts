import { z } from 'zod';
import type { Result } from '../lib/result.ts';
import { type Answer, permissionModes } from '../protocol/index.ts';
import type { Engine } from './engine.ts';
import { parseQuietly, streams } from './job.ts';
import type { JobKey } from './keys.ts';
import { sendRow } from './sealed-rows.ts';

/** A message to the agent. */
const letterSchema = z.object({
  uuid: z.string().min(1).max(200),
  text: z.string(),
  delivery: z.enum(['steer', 'queue']),
});

export type RemoteLetter = z.output<typeof letterSchema>;

export function parseLetter(body: string): RemoteLetter | undefined {
  const letter = letterSchema.safeParse(parseQuietly(body));
  return letter.success ? letter.data : undefined;
}

/** What the submitter may answer: one call, and nothing beyond it. A mode, after a plan, is limited by the worker; rules are its own. */
const answerSchema = z.object({
  id: z.string(),
  answer: z.discriminatedUnion('behaviour', [
    z.object({
      behaviour: z.literal('allow'),
      input: z.record(z.string(), z.unknown()).optional(),
      mode: z.enum(permissionModes).optional(),
    }),
    z.object({ behaviour: z.literal('deny'), message: z.string(), interrupt: z.boolean().optional() }),
  ]),
});

export type RemoteAnswer = z.output<typeof answerSchema>;

export function parseAnswer(body: string): RemoteAnswer | undefined {
  const answer = answerSchema.safeParse(parseQuietly(body));
  return answer.success ? answer.data : undefined;
}

export function sendLetter(
  engine: Engine,
  key: JobKey,
  jobId: string,
  letter: RemoteLetter,
): Promise<Result<void>> {
  const body = JSON.stringify(letter);
  return sendRow(engine, key, jobId, { stream: streams.letters, key: letter.uuid, body });
}

/** The first answer to a question counts. */
export function sendAnswer(
  engine: Engine,
  key: JobKey,
  jobId: string,
  { id, answer }: { id: string; answer: Answer },
): Promise<Result<void>> {
  const body = JSON.stringify({ id, answer });
  return sendRow(engine, key, jobId, { stream: streams.answers, key: id, body });
}

/** Ends the agent and all that it started. Its result follows. */
export function sendStop(engine: Engine, key: JobKey, jobId: string): Promise<Result<void>> {
  return sendRow(engine, key, jobId, { stream: streams.stop, key: 'stop', body: '{}' });
}
