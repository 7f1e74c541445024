import { join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import { countedIds } from '../../src/lib/ids.ts';
import { Conversation } from '../../src/loop/conversation.ts';
import { listEventRecords } from '../../src/loop/records-of.ts';
import type { AgentEvent, ModelRequest, TranscriptRecord } from '../../src/protocol/index.ts';
import { restoreConversation } from '../../src/store/conversation.ts';
import { createOutputs } from '../../src/store/outputs.ts';
import { createTranscript, loadTranscript } from '../../src/store/transcript.ts';
import { type FixedTurn, lastUserText, type Turn, type TurnMaker } from '../../src/testing/index.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Stage, type StageOptions, stage, testTool } from './support.ts';

export const smallWindow = { window: 8_000, maxOutput: 1_000 };

/** An agent with a small window and a tool whose result is as long as it is asked to be. */
export function smallStage(
  turns: Turn[] | TurnMaker,
  options: StageOptions = {},
): Stage & { outputs: string } {
  const outputs = temporaryDirectory().path;
  const echo = testTool('Echo', {
    run: async (text) => ({
      content: [{ type: 'text', text: text.startsWith('x') ? text.repeat(500) : text }],
      isError: false,
    }),
  });
  const staged = stage(turns, {
    tools: [echo],
    facts: smallWindow,
    hands: { outputs: createOutputs(outputs) },
    ...options,
  });
  return { ...staged, outputs };
}

/** The harness's own request for a summary, as opposed to a turn of the conversation. */
export function isSummarising(request: ModelRequest): boolean {
  return lastUserText(request).includes('replaced by a summary that you write now');
}

/** Plays `turns` in order, and answers every request for a summary with `summary`. */
export function summarising(turns: FixedTurn[], summary: FixedTurn = 'The summary.'): TurnMaker {
  const left = [...turns];
  return (request) => (isSummarising(request) ? summary : (left.shift() ?? 'The script is at its end.'));
}

export function compactions(events: readonly AgentEvent[]) {
  return events.filter((event) => event.type === 'conversation_compacted');
}

export function writeRecords(events: readonly AgentEvent[]): string {
  const path = join(temporaryDirectory().path, 'transcript.jsonl');
  const created = createTranscript(path, {
    type: 'cadre-transcript',
    format: 1,
    sessionId: 's',
    cwd: '/workspace',
    version: '0',
    createdAt: '1970-01-01T00:00:00.000Z',
  });
  if (!created.ok) throw new Error(created.problem.message);
  for (const record of events.flatMap<TranscriptRecord>((event) => [...listEventRecords(event)]))
    created.value.append(record);
  created.value.close();
  return path;
}

/** The conversation that a resumed session would go on with. */
export async function resumed(events: readonly AgentEvent[]): Promise<Conversation> {
  const loaded = await loadTranscript(writeRecords(events));
  if (!loaded.ok) throw new Error(loaded.problem.message);
  const { messages, broken, repairs } = restoreConversation(loaded.value, manualClock(), countedIds());
  if (broken.length + repairs.length + loaded.value.damage.length > 0)
    throw new Error([...broken, ...loaded.value.damage.map(({ reason }) => reason)].join('; '));
  return new Conversation(messages);
}
