import { isRecord } from '../lib/fields/field-values.ts';
import { parseJson } from '../lib/fields/parse-json.ts';
import { form, type OutputOf } from '../lib/form/form.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { escapeHarnessTags } from '../lib/text/harness-tags.ts';
import { visibleLine } from '../lib/text/text.ts';
import {
  defineTool,
  errorResult,
  isSubAgent,
  type TaskView,
  type Tool,
  type ToolContext,
  type ToolResult,
  textOf,
  textResult,
} from '../protocol/index.ts';
import type { Letter } from '../tasks/inbox.ts';
import { isUnderWay } from '../tasks/tasks.ts';
import { offerFields } from '../tools/offer-fields.ts';
import { noteLetter } from './agent-log.ts';
import { waitForAgent } from './agent-tool.ts';
import type { AgentKernel } from './kernel.ts';
import type { PlanRequests } from './plan-requests.ts';
import { findRunning, resumeAgent } from './resume-agent.ts';
import type { LiveAgent } from './roster.ts';
import description from './send-message.md' with { type: 'text' };

const maxCharacters = 100_000;

const schema = offerFields(
  {
    to: form.string().min(1).max(200).optional(),
    message: form
      .union([form.string().min(1).max(maxCharacters), form.looseObject({ type: form.string() })])
      .shownAs({ type: ['string', 'object'] }),
    summary: form.string().max(200).optional().describe('In 5-10 words'),
  },
  {
    recipient: form.string().min(1).max(200).optional(),
    awaits_answer: form.boolean().optional(),
    notify_when_idle: form.boolean().optional(),
  },
);

type Input = OutputOf<typeof schema>;

/** Writes to an agent, whatever state it is in (TM10, CO4). */
export function sendMessageTool(agents: () => AgentKernel, plans: () => PlanRequests): Tool<typeof schema> {
  return defineTool({
    name: 'SendMessage',
    description: description.trim(),
    schema,
    access: () => [{ kind: 'none' }],
    concurrent: () => false,
    summary: ({ to, recipient, summary }) =>
      visibleLine(`${to ?? recipient ?? ''} ${summary ?? ''}`.trim(), 200),
    // biome-ignore lint/correctness/useYield: it is over at once
    async *run(input, context) {
      return send(agents(), input, context, plans());
    },
  });
}

/** The sender of a message, and what ends its wait. */
interface Sender extends Pick<ToolContext, 'agentId' | 'toolUseId' | 'signal'> {
  /** The user: may also resume an agent that the user stopped. */
  isUser?: true;
}

/**
 * The user's own message to an agent, below the lead, which is notified of the end. Returns what happened, in words.
 */
export async function messageAgent(
  agents: AgentKernel,
  to: string,
  message: string,
): Promise<Result<string>> {
  if (message.trim() === '') return usage('message: expected text for the agent, got an empty string.');
  const toolUseId = `message-${agents.ids.token(12)}`;
  const { signal } = new AbortController();
  const sent = await send(agents, { to, message }, { agentId: null, toolUseId, signal, isUser: true });
  return sent.isError ? usage(textOf(sent.content)) : ok(textOf(sent.content));
}

async function send(
  agents: AgentKernel,
  input: Input,
  context: Sender,
  plans?: PlanRequests,
): Promise<ToolResult> {
  const address = input.to ?? input.recipient;
  if (address === undefined) return errorResult('to: expected the id or name of an agent.');
  const posted = agents.teams?.send({
    ...{ agentId: context.agentId, isUser: context.isUser, to: address, message: input.message },
    ...{ summary: input.summary, awaitsAnswer: input.awaits_answer, notifyWhenIdle: input.notify_when_idle },
  });
  if (posted) return posted;
  const mayDecide = context.agentId === null && plans !== undefined;
  if (typeof input.message !== 'string' && !(mayDecide && isPlanWord(input.message)))
    return errorResult(noTeam);
  const sender = agents.roster.find(context.agentId);
  if (!sender) return errorResult('This agent cannot send messages: it is not registered in this session.');
  const task = agents.tasks.view(address);
  if (!task || !isSubAgent(task)) return errorResult(unknown(agents, context.agentId, address));
  if (task.owner !== context.agentId && context.agentId !== null)
    return errorResult(`You did not start ${address}.`);
  if (typeof input.message !== 'string') return plans?.answer(task.id, input.message) ?? errorResult(noTeam);
  const wait = plans?.explainWait(task.id);
  if (wait !== undefined) {
    // Some models write the object as text.
    const word = parseJson(input.message);
    return (isPlanWord(word) && plans?.answer(task.id, word)) || errorResult(wait);
  }
  const mail = composeMail(agents, context, input.message);
  return isUnderWay(task)
    ? deliver(agents, sender, task, mail, context)
    : goOn(agents, sender, task, mail, context);
}

function isPlanWord(message: unknown): message is Readonly<Record<string, unknown>> {
  return isRecord(message) && message.type === 'plan_approval_response';
}

const noTeam = 'This agent is not in a team: a message to it is plain text.';

async function deliver(
  agents: AgentKernel,
  sender: LiveAgent,
  task: TaskView,
  mail: Letter,
  context: Sender,
): Promise<ToolResult> {
  const live = agents.roster.find(task.id);
  if (!live || live.isEnding) {
    await agents.tasks.find(task.id)?.result();
    return goOn(agents, sender, agents.tasks.view(task.id) ?? task, mail, context);
  }
  const noted = live.log ? noteLetter(live.log, live.context, mail) : ok(undefined);
  if (!noted.ok) return errorResult(`The message was not delivered: ${noted.problem.message}`);
  agents.leases.told(task.id, context.agentId);
  live.context.inbox.post(mail);
  return textResult(`The agent ${task.id} will read it at its next step.`, {
    success: true,
    agentId: task.id,
    delivery: 'queued',
  });
}

/** Continues from the transcript as a new run of the same agent. */
async function goOn(
  agents: AgentKernel,
  sender: LiveAgent,
  task: TaskView,
  mail: Letter,
  context: Sender,
): Promise<ToolResult> {
  if (task.stoppedBy === 'user' && !context.isUser)
    return errorResult(`The user stopped the agent ${task.id}; only the user can resume it.`);
  const { background } = agents.settings;
  const { toolUseId, signal } = context;
  const resumed = await resumeAgent(agents, sender, task, mail, { toolUseId, signal, background });
  const running = resumed.ok ? undefined : findRunning(agents, task.id);
  if (running) return deliver(agents, sender, running, mail, context);
  if (!resumed.ok) return errorResult(`The message was not delivered: ${resumed.problem.message}`);
  const { spec, handle } = resumed.value;
  if (!background) return waitForAgent(agents, handle, spec, textOf(mail.content), context);
  return textResult(
    `The agent ${task.id} resumes with your message in the background; you will be notified when it ends.`,
    {
      success: true,
      agentId: task.id,
      runId: handle.runId,
      delivery: 'resumed',
      outputFile: handle.outputFile,
    },
  );
}

/** `from` and `id` are the harness's own: the text inside cannot change them. */
function composeMail({ ids }: AgentKernel, { agentId, isUser }: Sender, message: string): Letter {
  const from = isUser ? 'user' : (agentId ?? 'main');
  const id = ids.uuid();
  const text = `<teammate-message from="${from}" id="${id}">\n${escapeHarnessTags(message)}\n</teammate-message>`;
  return {
    delivery: 'steer',
    content: [{ type: 'text', text }],
    origin: { kind: 'mail', from, id },
    uuid: id,
  };
}

function unknown({ roster, tasks, teams }: AgentKernel, from: string | null, address: string): string {
  const members = teams?.listAddresses(from) ?? [];
  const started = tasks.list().filter(isSubAgent);
  const agents = started.map((task) => (task.agent?.name ? `${task.agent.name} (${task.id})` : task.id));
  // The rest: those of agents without a task. A teammate of a team that has ended is no longer an address.
  const names = roster.names().filter((name) => tasks.view(name) === undefined);
  const known = [...new Set([...members, ...agents.slice(-20), ...names.slice(-20)])];
  return known.length > 0
    ? `There is no agent "${visibleLine(address, 100)}". Known agents: ${known.join(', ')}.`
    : `There is no agent "${visibleLine(address, 100)}", and no agent was started yet.`;
}
