import { merge } from '../lib/merge.ts';
import type { AgentEvent, ToolUseBlock } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';
import { hookCalls } from './hooked-call.ts';
import { type CheckedCall, prepareCall } from './prepare-call.ts';
import { runCall } from './run-call.ts';

/**
 * Runs the tool calls of one message. Calls that change nothing run side by side; any other waits for
 * those before it and runs alone. Every call ends in a result of its own in the conversation, also
 * one that was refused, interrupted or never begun.
 */
export async function* runTools(
  agent: AgentContext,
  calls: readonly ToolUseBlock[],
): AsyncGenerator<AgentEvent, { stop?: string }> {
  let stop: string | undefined;
  for (const batch of groupBatches(calls.map((call) => prepareCall(agent, call)))) {
    // What hooks made of a call may no longer run beside others.
    const hooked = agent.hooks?.beforeTool && stop === undefined && !agent.signal.aborted;
    for (const part of hooked ? groupBatches(await hookCalls(agent, batch)) : [batch])
      for (const end of yield* runTogether(agent, part, stop)) stop ??= end.stop;
  }
  return stop === undefined ? {} : { stop };
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

async function* runTogether(agent: AgentContext, calls: CheckedCall[], stop: string | undefined) {
  const [only, another] = calls;
  if (only && !another) return [yield* runCall(agent, only, stop)];
  const running = merge(
    calls.map((call) => runCall(agent, call, stop)),
    agent.limits.maxConcurrentCalls,
  );
  for (;;) {
    const step = await running.next();
    if (step.done) return step.value;
    yield step.value.value;
  }
}
