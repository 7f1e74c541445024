/**
 * The cost of the view: a hundred agents that stream a thousand pieces each, all mixed, as single events and as the batches
 * that a screen takes between two frames; what it holds afterwards; and a long transcript from its tail.
 */
import type { AgentEvent, TranscriptRecord } from '../src/protocol/index.ts';
import { noUsage } from '../src/protocol/index.ts';
import { emptyView, fromRecords, reduce, reduceAll, type View } from '../src/view/index.ts';

const agents = 100;
const pieces = 1_000;
const rounds = 10;
const piece = 'some forty characters of a long answer. ';
const time = new Date(0).toISOString();

const ids = Array.from({ length: agents }, (_, index) => `a${index}`);
const start = reduceAll(emptyView(), ids.map(agentStarted));

let view = start;
const deltas = Array.from({ length: pieces }, () => ids.map(streamed)).flat();
const single = measure(() => {
  for (const event of deltas) view = reduce(view, event, 1);
});
view = settle(view, 0);
const held: number[] = [];
let batched = 0;
for (let round = 1; round <= rounds; round++) {
  batched += measure(() => {
    for (let at = 0; at < deltas.length; at += 500) view = reduceAll(view, deltas.slice(at, at + 500), 1);
  });
  view = settle(view, round);
  Bun.gc(true);
  held.push(Math.round(process.memoryUsage().heapUsed / 1_048_576));
}
const records = Array.from({ length: 5_000 }, (_, index) => stored(index));
const tail = measure(() => fromRecords(records));

const perEvent = (ms: number, count: number) => Number(((1_000 * ms) / count).toFixed(2));
console.log(
  JSON.stringify(
    {
      agents,
      pieces: deltas.length,
      microsecondsPerEvent: perEvent(single, deltas.length),
      microsecondsPerEventInBatches: perEvent(batched, deltas.length * rounds),
      megabytesAfterEachRound: held,
      entriesHeld: [...view.agents.values()].reduce(
        (sum, { conversation }) => sum + conversation.entries.length,
        0,
      ),
      millisecondsForRecords: { records: records.length, ms: Math.round(tail) },
    },
    null,
    2,
  ),
);

function measure(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

/** Every agent ends its answer, which becomes an entry. */
function settle(before: View, round: number): View {
  return reduceAll(
    before,
    ids.map((agentId) => answered(agentId, `${round}`)),
    1,
  );
}

function agentStarted(id: string): AgentEvent {
  return {
    ...{ agentId: null, parentToolUseId: null, type: 'task_changed' },
    task: {
      ...{ id, runId: id, kind: 'local_agent', status: 'running', description: id, startedAt: time },
      ...{ outputFile: '', owner: null, isBackgrounded: false },
      agent: {
        ...{ type: 'worker', prompt: 'Work', model: 'm', depth: 1 },
        progress: { spentTokens: 0, toolUses: 0, runTokens: 0, activities: [] },
      },
    },
  };
}

function streamed(agentId: string): AgentEvent {
  const event = { type: 'block_delta', index: 0, delta: { type: 'text', text: piece } } as const;
  return { agentId, parentToolUseId: null, type: 'model_streamed', event };
}

function answered(agentId: string, uuid: string): AgentEvent {
  const record = stored(`${agentId}-${uuid}`);
  if (record.type !== 'assistant') throw new Error('an answer is expected');
  return { agentId, parentToolUseId: null, type: 'message_added', record };
}

function stored(uuid: string | number): TranscriptRecord {
  return {
    ...{ type: 'assistant', uuid: `${uuid}`, sessionId: 's', timestamp: time, isSidechain: false },
    parentUuid: typeof uuid === 'number' && uuid > 0 ? `${uuid - 1}` : null,
    message: {
      ...{ role: 'assistant', id: 'm', model: 'm', stop_reason: 'end_turn', usage: noUsage },
      content: [{ type: 'text', text: piece.repeat(20) }],
    },
  };
}
