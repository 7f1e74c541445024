import { showBytes } from '../lib/files/exact-paths.ts';
import { formatError } from '../lib/result.ts';
import { createReachJudge } from '../permissions/reach.ts';
import { readFilter } from '../permissions/read-filter.ts';
import {
  type AgentEvent,
  errorResult,
  type Note,
  type ShellEnvironment,
  type ToolResult,
  textOf,
} from '../protocol/index.ts';
import { moveRefusal } from '../shell/rules/moves.ts';
import { addUserMessage } from './add-message.ts';
import { type AgentContext, markEvent } from './agent-context.ts';
import { authorise } from './authorise.ts';
import { classifyCall } from './call-effect.ts';
import { fitResult } from './fit-result.ts';
import { hookResult } from './hooked-call.ts';
import { maskResult } from './mask-result.ts';
import type { CheckedCall, PreparedCall } from './prepare-call.ts';
import { Seat } from './seat.ts';
import { prepareShell } from './shell-for.ts';

export interface CallEnd {
  /** Why the run must end after this message's calls, if it must. */
  stop?: string;
  /** The text of its result if it failed; absent if it succeeded or was not run. */
  failure?: string;
  /** It was run to its result. */
  isDone?: true;
}

const notRun = 'Not run: the turn was interrupted.';
/** The next step is somebody else's. */
const passedOn = 'Not run: the session continues elsewhere from here. You can call it again.';

/** Takes one call from judgement to its recorded result. If `stop` is already set, the call does not start. */
export async function* runCall(
  agent: AgentContext,
  call: CheckedCall,
  stop?: string,
): AsyncGenerator<AgentEvent, CallEnd> {
  if (stop !== undefined || agent.signal.aborted)
    return yield* finish(agent, call.id, errorResult(stop === notCopied ? passedOn : notRun));
  const { result, notes, stop: wish } = yield* judgeAndRun(agent, call);
  const end = yield* finish(agent, call.id, result, notes, wish);
  if (agent.signal.aborted) return end;
  return { ...end, isDone: true, failure: result.isError ? textOf(result.content) : undefined };
}

/** Answers a call without running it. */
export async function* refuseCall(
  agent: AgentContext,
  call: CheckedCall,
  reason: string,
): AsyncGenerator<AgentEvent, CallEnd> {
  return yield* finish(agent, call.id, errorResult(reason));
}

/** The result of a call, before it is recorded. */
export interface Ran {
  result: ToolResult;
  /** Notes that hooks add to it. */
  notes: readonly Note[];
  stop?: string;
}

function ran(result: ToolResult, notes: readonly Note[], stop: string | undefined): Ran {
  return { result, notes, stop };
}

/** From judgement to the result, which is not yet recorded. */
export async function* judgeAndRun(
  agent: AgentContext,
  call: CheckedCall,
  variables: Readonly<Record<string, string>> = {},
): AsyncGenerator<AgentEvent, Ran> {
  if (!call.ok) return ran(errorResult(call.reason), [], undefined);
  const seat = new Seat(agent.hands.inFlight);
  try {
    return yield* judgeAndRunSeated(agent, call, variables, seat);
  } finally {
    seat.leave();
  }
}

async function* judgeAndRunSeated(
  agent: AgentContext,
  call: PreparedCall,
  variables: Readonly<Record<string, string>>,
  seat: Seat,
): AsyncGenerator<AgentEvent, Ran> {
  const verdict = yield* authorise(agent, call, seat);
  if (verdict.allowed) return yield* execute(agent, verdict.call, variables, seat);
  const { tool, input } = call;
  const { notes = [], stop: hookStop } = call.hooked ?? {};
  if (verdict.fails) return ran(errorResult(verdict.message), notes, hookStop);
  // It was not denied: the question was still open.
  if (agent.signal.aborted && verdict.decision.behaviour === 'ask')
    return ran(errorResult(notRun), notes, hookStop);
  await agent.approval.noteDenial?.({
    agentId: agent.agentId,
    tool: tool.name,
    input,
    decision: verdict.decision,
  });
  yield markEvent(agent, {
    type: 'permission_denied',
    toolUseId: call.id,
    toolName: tool.name,
    input,
    decision: verdict.decision,
    answer: verdict.answer,
  });
  return ran(errorResult(verdict.message), notes, verdict.stop ?? hookStop);
}

async function* execute(
  agent: AgentContext,
  call: PreparedCall,
  variables: Readonly<Record<string, string>>,
  seat: Seat,
): AsyncGenerator<AgentEvent, Ran> {
  const { id: toolUseId, tool, input, summary } = call;
  const name = { toolUseId, toolName: tool.name };
  const start = agent.clock.monotonic();
  const effect = classifyCall(tool, input);
  const held =
    effect === 'harmless' ? undefined : agent.hands.gate?.({ agentId: agent.agentId, ...name }, agent.signal);
  if (held) {
    await held;
    return ran(errorResult(passedOn), [], notCopied);
  }
  yield markEvent(agent, { type: 'tool_started', ...name, input, summary, effect });
  if (effect !== 'harmless' && !(await isCopied(agent, name))) {
    yield markEvent(agent, { type: 'tool_ended', ...name, isError: true, durationMs: 0 });
    return ran(errorResult(notRun), [], notCopied);
  }
  const observe = createObserver(agent, call);
  observe('outside');
  const result = yield* runGuarded(agent, call, variables, seat);
  const durationMs = agent.clock.monotonic() - start;
  yield markEvent(agent, { type: 'tool_ended', ...name, isError: result.isError, durationMs });
  const after = agent.hooks ? await hookResult(agent, call, result, durationMs) : undefined;
  observe('shell');
  const shown = after?.content ? { ...result, content: after.content } : result;
  const notes = [...(call.hooked?.notes ?? []), ...(after?.notes ?? [])];
  return ran(shown, notes, call.hooked?.stop ?? after?.stop);
}

const notCopied = 'This session is continued on another machine.';

async function isCopied(
  { hands, agentId }: AgentContext,
  name: { toolUseId: string; toolName: string },
): Promise<boolean> {
  return hands.journalCopy ? hands.journalCopy({ agentId, ...name }) : true;
}

/**
 * If hooks run after a change, their own changes to files, such as formatting, are part of it and can be rewound. Only
 * around calls that change files: in a longer call, another program's changes could be taken for theirs.
 */
function createObserver(
  { hooks, hands }: AgentContext,
  { id, tool, input }: PreparedCall,
): (cause: 'shell' | 'outside') => void {
  const { history, directory } = hands;
  const accesses = hooks && history.observe ? tool.access(input, directory.current) : [];
  if (!accesses.some(({ kind }) => kind === 'write')) return () => {};
  return (cause) => history.observe?.(cause, id);
}

/** A tool that throws has a bug; the model gets the error and the session continues. */
async function* runGuarded(
  agent: AgentContext,
  call: PreparedCall,
  variables: Readonly<Record<string, string>>,
  seat: Seat,
): AsyncGenerator<AgentEvent, ToolResult> {
  const { id: toolUseId, tool, input } = call;
  const { agentId, clock, signal, hands } = agent;
  const mayRead = readFilter(agent.permissions, tool.name);
  const reach = createReachJudge(agent.permissions);
  const stays = (path: string) => moveRefusal(agent.permissions, path);
  try {
    const shell = prepareShell(withVariables(hands.shell, variables), call, agent.permissions, signal);
    const judged = (path: string) => call.targets?.get(path);
    const { inFlight: _, journalCopy: __, gate: ___, ...own } = hands;
    const tasks = seat.follow(hands.tasks);
    const context = { ...own, tasks, shell, agentId, clock, signal, toolUseId, mayRead, reach, judged };
    const { previewed, seen } = call;
    const running = tool.run(input, { ...context, previewed, moveRefusal: stays, unseen: seen !== true });
    for (;;) {
      const step = await running.next();
      if (step.done) return step.value;
      yield markEvent(agent, {
        type: 'tool_progressed',
        toolUseId,
        toolName: tool.name,
        progress: step.value,
      });
    }
  } catch (error) {
    return errorResult(`${tool.name} failed unexpectedly: ${formatError(error)}`);
  }
}

function withVariables(
  shell: ShellEnvironment,
  variables: Readonly<Record<string, string>>,
): ShellEnvironment {
  if (Object.keys(variables).length === 0) return shell;
  return { ...shell, environment: async () => ({ ...(await shell.environment()), ...variables }) };
}

async function* finish(
  agent: AgentContext,
  id: string,
  result: ToolResult,
  notes: readonly Note[] = [],
  stop?: string,
): AsyncGenerator<AgentEvent, CallEnd> {
  const shown = maskResult(agent.hands.secrets, result);
  const { secrets } = agent.hands;
  const added = [...(result.notes ?? []), ...notes].map((text) => ({
    type: 'text' as const,
    text: secrets?.hide(text) ?? text,
  }));
  // A provider refuses text with invalid characters, such as a file name that is not valid UTF-8.
  const content = [...fitResult(agent, id, shown.content), ...added].map((block) =>
    block.type === 'text' ? { ...block, text: showBytes(block.text) } : block,
  );
  yield* addUserMessage(
    agent,
    [{ type: 'tool_result', tool_use_id: id, content, is_error: result.isError || undefined }],
    { kind: 'tool-results' },
    { toolData: shown.data, receipt: result.receipt },
  );
  return { stop };
}
