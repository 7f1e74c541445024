import { z } from 'zod';
import { visibleLine } from '../../lib/text/text.ts';
import { type AgentEvent, type AgentEventBody, outcomeKinds } from '../../protocol/index.ts';
import { parseQuietly } from '../../remote/job.ts';
import { checkRecord } from '../../store/check-record.ts';

const count = z.number().nonnegative();
const words = z.string().max(100_000);
const call = { toolUseId: z.string().max(200), toolName: z.string().max(200) };
const suspension = z.object({ model: words, reason: words, until: count });
const todo = z.object({
  content: words,
  status: z.enum(['pending', 'in_progress', 'completed']),
  activeForm: words.optional(),
});
const usage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
});

/** A message, checked as when a transcript is read. */
const message = z.record(z.string(), z.unknown()).refine((record) => {
  const isMessage = record.type === 'user' || record.type === 'assistant';
  return isMessage && checkRecord(record).kind === 'good';
}, 'not a message');

const boundary = z
  .record(z.string(), z.unknown())
  .refine((record) => record.type === 'compact-boundary' && checkRecord(record).kind === 'good');

/** What a worker says that happened. A worker is trusted to run the agent; its rows still cannot break what shows them. */
const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('turn_started'), turn: count }),
  z.object({
    ...{ type: z.literal('request_retried'), attempt: count, delayMs: count },
    ...{ failure: z.looseObject({ kind: words, message: words }), isLast: z.literal(true).optional() },
  }),
  z.object({
    ...{ type: z.literal('request_waited'), reason: words, delayMs: count },
    ...{ isOver: z.literal(true).optional(), suspended: suspension.optional() },
  }),
  z.object({
    ...{ type: z.literal('tool_started'), ...call, input: z.record(z.string(), z.unknown()) },
    summary: words.transform((text) => visibleLine(text, 1000)),
    effect: z.enum(['harmless', 'repeatable', 'unsafe']).optional(),
  }),
  z.object({ type: z.literal('tool_ended'), ...call, isError: z.boolean(), durationMs: count }),
  z.object({ type: z.literal('todos_changed'), todos: z.array(todo).max(1000) }),
  z.object({ type: z.literal('message_added'), record: message, toolData: z.unknown().optional() }),
  z.object({
    ...{ type: z.literal('conversation_compacted'), trigger: z.enum(['auto', 'manual']) },
    ...{ preTokens: count, postTokens: count, durationMs: count },
    ...{ boundary, messages: z.array(message) },
  }),
]);

/** Undefined: it is not an event that a submitter shows. */
export function readEvent(
  body: string,
  marks: Pick<AgentEvent, 'agentId' | 'parentToolUseId'>,
): AgentEvent | undefined {
  const event = eventSchema.safeParse(parseQuietly(body));
  return event.success ? { ...marks, ...(event.data as unknown as AgentEventBody) } : undefined;
}

const resultSchema = z.object({
  outcome: z.object({
    kind: z.enum(outcomeKinds),
    text: z.string(),
    reason: z.string().optional(),
    output: z.unknown().optional(),
    turns: count,
    usage,
  }),
  cost: z
    .object({
      rows: z.array(
        z.object({
          ...{ model: z.string(), usage, microUsd: count.nullable(), requests: count },
          heldMicroUsd: count.optional(),
        }),
      ),
    })
    .optional(),
});

/** How a job ended, and its bill. Undefined while it is not over. */
export type RemoteResult = z.output<typeof resultSchema>;

export function readResult(body: string): RemoteResult | undefined {
  const result = resultSchema.safeParse(parseQuietly(body));
  return result.success ? result.data : undefined;
}
