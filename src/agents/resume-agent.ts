import { fail, ok, type Result, usage } from '../lib/result.ts';
import { type TaskHandle, type TaskRecord, type TaskView, textOf } from '../protocol/index.ts';
import type { AgentSettings } from '../settings/loaded.ts';
import type { Letter } from '../tasks/inbox.ts';
import { isUnderWay } from '../tasks/tasks.ts';
import { buildLetter, noteLetter } from './agent-log.ts';
import type { AgentKernel } from './kernel.ts';
import { prepareAgent, releaseAgent } from './prepare-agent.ts';
import type { LiveAgent } from './roster.ts';
import type { AgentSpec, LoadedAgent } from './spec.ts';
import type { Standby } from './standby.ts';
import { type Continuation, startAgent } from './start-agent.ts';

export interface ResumeWish {
  toolUseId: string;
  signal: AbortSignal;
  background: boolean;
  /** Tasks of the agent's own whose end it need not hear of: they are resumed, too. */
  goesOn?(record: TaskRecord): boolean;
  /** It is a teammate, and waits for more instead of ending. */
  standby?: Standby;
  continuation?: Continuation;
  /** Replaces the session's settings. */
  settings?: AgentSettings | undefined;
}

export interface ResumedAgent {
  spec: AgentSpec;
  handle: TaskHandle;
}

/**
 * Continues an agent from its transcript, with a letter, as a new run. Fails if it runs meanwhile. A teammate may continue without
 * one: then it is idle.
 */
export async function resumeAgent(
  agents: AgentKernel,
  sender: LiveAgent,
  task: TaskView,
  letter: Letter | ((loaded: LoadedAgent) => Letter | undefined),
  { toolUseId, signal, background, goesOn = () => false, continuation, standby, settings }: ResumeWish,
): Promise<Result<ResumedAgent>> {
  const loaded = await agents.records.load(task.id);
  if (!loaded.ok) return loaded;
  const { state, unread, untold, lost } = loaded.value;
  const mail = typeof letter === 'function' ? letter(loaded.value) : letter;
  // A fork has its parent's prompt and tools: no other agent can replace that parent.
  if (state.inherits && state.inherits.agentId !== sender.context.agentId)
    return usage(`${task.id} is a fork of another agent; only that agent can resume it.`);
  const request = {
    toolUseId,
    prompt: mail ? textOf(mail.content) : task.description,
    background,
    standby,
    description: task.description,
    name: state.name,
    type: state.agentType,
  };
  const late = untold.filter((record) => !goesOn(record)).map(agents.records.lateLetter);
  const isNew = mail !== undefined && !(continuation !== undefined && isUnanswered(loaded.value, mail));
  const letters = [
    ...(lost.length > 0 ? [agents.records.lostLetter(lost)] : []),
    ...unread.map(buildLetter),
    ...late,
    ...(isNew ? [mail] : []),
  ];
  const options = {
    signal,
    id: task.id,
    earlier: loaded.value,
    ...(settings ? { settings } : {}),
    // Another sender may have resumed it while it was prepared.
    refuse: () => (findRunning(agents, task.id) ? 'It is already running.' : undefined),
  };
  const begun = await prepareAgent(agents, sender, request, options, (spec) => {
    const noted = isNew ? noteLetter(spec.log, sender.context, mail) : ok(undefined);
    return { spec, noted, handle: noted.ok ? startAgent(agents, spec, letters, continuation) : undefined };
  });
  if (!begun.ok) return begun;
  const { spec, noted, handle } = begun.value;
  if (noted.ok && handle) return ok({ spec, handle });
  await releaseAgent(agents, spec);
  return noted.ok ? usage('It did not start.') : fail(noted.problem);
}

/** Whether it has the same letter already, and has not answered it: it was suspended again before it could. */
function isUnanswered({ messages, unread }: LoadedAgent, { content }: Letter): boolean {
  const text = textOf(content);
  const answeredAt = messages.findLastIndex(({ type }) => type === 'assistant');
  const read = messages.slice(answeredAt + 1).map(({ message }) => message.content);
  return [...read, ...unread.map((letter) => letter.content)].some((one) => textOf(one).includes(text));
}

export function findRunning({ tasks }: AgentKernel, id: string): TaskView | undefined {
  const now = tasks.view(id);
  return now && isUnderWay(now) ? now : undefined;
}
