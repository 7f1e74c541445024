import type { Clock } from '../lib/clock.ts';
import type { Problem } from '../lib/result.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import { type AgentEvent, type Command, noUsage, type Outcome } from '../protocol/index.ts';
import type { Letter } from '../tasks/inbox.ts';

export const interruptedByUser = 'Interrupted by the user.';

/** For the model, which would otherwise take the last prompt for unfinished work. */
export function describeInterrupt(reason: string): string {
  const what =
    reason === interruptedByUser ? 'The user interrupted you here.' : `You were stopped here: ${reason}`;
  return `${what} Do not continue with earlier requests unless the user asks again. Background work keeps running; when it reports, say so briefly and wait for the user.`;
}

/** The prompt that the run answers from here on, also by refusing it. */
export function findAnsweredPrompt(event: AgentEvent): string | undefined {
  if (event.type === 'prompt_refused') return event.uuid;
  if (event.type !== 'message_added' || event.record.type !== 'user') return undefined;
  return event.record.origin.kind === 'human' ? event.record.uuid : undefined;
}

/** The tool that will be called: what it needs can be prepared while the model still writes its input. */
export function toolAhead(event: AgentEvent): string | undefined {
  if (event.type !== 'model_streamed' || event.event.type !== 'block_started') return undefined;
  const { block } = event.event;
  return block.type === 'tool_use' ? block.name : undefined;
}

export function runStart(agent: AgentContext) {
  return {
    model: agent.model.id,
    contextWindow: agent.model.facts.window,
    permissionMode: agent.permissions.mode,
    cwd: agent.hands.directory.current,
    tools: agent.tools.map((tool) => tool.name),
  };
}

export function failedOutcome(problem: Problem): Outcome {
  const reason = problem.hint ? `${problem.message} ${problem.hint}` : problem.message;
  return { kind: 'failed', text: '', reason, turns: 0, usage: noUsage };
}

/** Adds up how long a run waited for its model, from the events alone. */
export function modelTimer(clock: Clock) {
  let total = 0;
  let since: number | undefined;
  return {
    note(event: AgentEvent): void {
      if (event.type === 'turn_started') since = clock.monotonic();
      const ended =
        event.type === 'model_streamed' &&
        (event.event.type === 'response_ended' || event.event.type === 'response_failed');
      if (!ended || since === undefined) return;
      total += clock.monotonic() - since;
      since = undefined;
    },
    total: () => total,
  };
}

export function writeLetter(
  command: Extract<Command, { type: 'prompt' }>,
  delivery: Letter['delivery'],
  initialPrompt?: string,
): Letter {
  const said =
    typeof command.content === 'string'
      ? [{ type: 'text' as const, text: command.content }]
      : command.content;
  const content = initialPrompt ? [{ type: 'text' as const, text: initialPrompt }, ...said] : said;
  const { uuid, isVerbatim, isQuiet } = command;
  return {
    delivery,
    content,
    origin: { kind: 'human' },
    ...(uuid ? { uuid } : {}),
    ...(isVerbatim ? { isVerbatim } : {}),
    ...(isQuiet ? { isQuiet } : {}),
  };
}
