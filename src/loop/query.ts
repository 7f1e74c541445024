import {
  type AgentEvent,
  type AssistantMessage,
  addUsage,
  describePromptRefusal,
  noUsage,
  type Outcome,
  textOf,
  toolUses,
} from '../protocol/index.ts';
import { addAssistantMessage, addUserMessage } from './add-message.ts';
import { type AgentContext, markEvent } from './agent-context.ts';
import { askInRoom } from './ask-in-room.ts';
import { endAfterFailure, endAfterInterrupt } from './end-of-failure.ts';
import { endAfterOutput } from './end-of-output.ts';
import type { RepeatedCalls } from './repeated-calls.ts';
import { takeLetters } from './take-letters.ts';

/**
 * The loop: take the letters of the inbox, ask the model, run its tool calls, repeat. A run ends when the model calls
 * no tool, at a limit, at a failure or when the signal fires: always with an outcome, a value.
 */
export async function* query(
  agent: AgentContext,
  /** The progress of the same run so far. */
  { turns, usage, text }: Pick<Run, 'turns' | 'usage' | 'text'> = { turns: 0, usage: noUsage, text: '' },
): AsyncGenerator<AgentEvent, Outcome> {
  const run: Run = { turns, usage, text };
  // Even an import of a loaded module takes a tenth of a millisecond.
  let tools: Awaited<ReturnType<typeof loadTools>> | undefined;
  agent.output?.begin();
  const taken = yield* takeLetters(agent, 'run');
  if (!taken.any && taken.refusal !== undefined)
    return endRun(run, 'failed', describePromptRefusal(taken.refusal));
  for (;;) {
    if (agent.signal.aborted) return { ...endRun(run, 'interrupted'), ...endAfterInterrupt(agent.signal) };
    if (run.turns >= (agent.limits.maxTurns ?? Number.POSITIVE_INFINITY))
      return endRun(run, 'out_of_turns', describeTurnLimit(agent, run));
    run.turns++;
    yield markEvent(agent, { type: 'turn_started', turn: run.turns });

    const { answer, spent } = yield* askInRoom(agent);
    const message = answer.ok ? answer.message : answer.partial;
    run.usage = addUsage(run.usage, addUsage(spent, answer.ok ? answer.message.usage : answer.usage));
    if (message) {
      run.text = textOf(message.content) || run.text;
      yield* addAssistantMessage(agent, message);
    }
    if (!answer.ok) return { ...endRun(run, 'failed'), ...endAfterFailure(answer.failure, agent.signal) };

    const calls = toolUses(answer.message);
    if (calls.length > 0) {
      tools ??= await loadTools();
      run.repeats ??= new tools.RepeatedCalls();
      const { stop } = yield* tools.runTools(agent, calls, run.repeats);
      if (stop) return endRun(run, 'interrupted', stop);
      const end = endAfterOutput(agent, calls);
      if (end) return { ...endRun(run, 'failed'), ...end };
    }
    const isOver = calls.length === 0 && !agent.inbox.hasSteering();
    const steered = isOver ? { any: false } : yield* takeLetters(agent, 'steering');
    // The user or another agent may have changed what made calls fail.
    if (steered.any) run.repeats?.forget();
    if (calls.length === 0 && steered.any && agent.agentId === null) keepAnswer(run);
    if (calls.length > 0 || steered.any) continue;
    if (!agent.output || isCutShort(answer.message)) return endByAnswer(run, answer.message);
    if (run.reminded) return { ...endRun(run, 'failed', agent.output.missing), outputMissing: true };
    run.reminded = true;
    yield* addUserMessage(agent, [{ type: 'text', text: agent.output.reminder }], { kind: 'harness' });
  }
}

/**
 * Running and judging calls is a fifth of the program. The first request does not wait for it: it is loaded while
 * the model thinks, at the latest when it begins to write a call.
 */
export function loadTools(): Promise<typeof import('./run-tools.ts')> {
  return import('./run-tools.ts');
}

interface Run {
  turns: number;
  usage: Outcome['usage'];
  text: string;
  /**
   * The lead's answers that were complete when a letter made the run continue: the user has not read them yet. Of other
   * agents only the last message is their result.
   */
  answered?: string[];
  /** Whether the model was reminded to return its answer. */
  reminded?: boolean;
  repeats?: RepeatedCalls;
}

function keepAnswer(run: Run): void {
  if (run.text.trim() !== '') run.answered = [...(run.answered ?? []), run.text];
  run.text = '';
}

function endByAnswer(run: Run, message: AssistantMessage): Outcome {
  if (message.stop_reason === 'refusal') return endRun(run, 'failed', 'The model refused to answer.');
  if (message.stop_reason === 'max_tokens')
    return endRun(run, 'truncated', 'The answer was cut off at the output limit.');
  if (textOf(message.content).trim() === '' && !run.answered)
    return endRun(run, 'failed', 'The model gave an empty answer.');
  return endRun(run, 'completed');
}

function isCutShort({ stop_reason }: AssistantMessage): boolean {
  return stop_reason === 'refusal' || stop_reason === 'max_tokens';
}

function endRun(run: Run, kind: Outcome['kind'], reason?: string): Outcome {
  const text = [...(run.answered ?? []), ...(run.text === '' ? [] : [run.text])].join('\n\n');
  return { kind, text, turns: run.turns, usage: run.usage, reason };
}

function describeTurnLimit({ agentId }: AgentContext, run: Run): string {
  const limit = agentId === null ? '--max-turns' : 'maxTurns of this agent';
  return `Stopped after ${run.turns} ${run.turns === 1 ? 'turn' : 'turns'} (limit: ${limit}).`;
}
