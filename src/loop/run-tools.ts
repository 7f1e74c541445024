import { merge } from '../lib/merge.ts';
import type { AgentEvent, ToolUseBlock } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';
import { hookCalls } from './hooked-call.ts';
import { type CheckedCall, prepareCall } from './prepare-call.ts';
import { RepeatedCalls } from './repeated-calls.ts';
import { refuseCall, runCall } from './run-call.ts';

/**
 * Runs the tool calls of one message. Calls that change nothing run in parallel; any other call waits for those before
 * it and runs alone. Every call gets its own result in the conversation, also one that was refused, interrupted or
 * never started.
 */
export async function* runTools(
  agent: AgentContext,
  calls: readonly ToolUseBlock[],
  repeats = new RepeatedCalls(),
): AsyncGenerator<AgentEvent, { stop?: string }> {
  let stop: string | undefined;
  for (const batch of groupBatches(calls.map((call) => prepareCall(agent, call)))) {
    // A call that hooks changed may no longer run in parallel.
    const hooked = agent.hooks?.beforeTool && stop === undefined && !agent.signal.aborted;
    for (const part of hooked ? groupBatches(await hookCalls(agent, batch)) : [batch])
      for (const [index, end] of (yield* runTogether(agent, part, stop, repeats)).entries()) {
        stop ??= end.stop;
        const call = part[index];
        if (call && end.isDone) repeats.note(call, end.failure);
      }
  }
  return { stop };
}

function groupBatches(calls: readonly CheckedCall[]): CheckedCall[][] {
  const batches: CheckedCall[][] = [];
  for (const call of calls) {
    const last = batches.at(-1);
    if (call.concurrent && last?.[0]?.concurrent) last.push(call);
    else batches.push([call]);
  }
  return batches;
}

async function* runTogether(
  agent: AgentContext,
  calls: CheckedCall[],
  stop: string | undefined,
  repeats: RepeatedCalls,
) {
  const run = (call: CheckedCall) => {
    // A submitted answer counts its own attempts.
    const refusal = call.ok && call.tool === agent.output?.tool ? undefined : repeats.refuse(call);
    return refusal === undefined ? runCall(agent, call, stop) : refuseCall(agent, call, refusal);
  };
  const [only, another] = calls;
  if (only && !another) return [yield* run(only)];
  const running = merge(calls.map(run), agent.limits.maxConcurrentCalls);
  for (;;) {
    const step = await running.next();
    if (step.done) return step.value;
    yield step.value.value;
  }
}

export { RepeatedCalls };
