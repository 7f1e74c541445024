import { z } from 'zod';
import { escapeHarnessTags } from '../lib/harness-tags.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text.ts';
import {
  defineTool,
  errorResult,
  type TaskView,
  type Tool,
  type ToolContext,
  type ToolResult,
  textOf,
  textResult,
} from '../protocol/index.ts';
import type { Letter } from '../tasks/inbox.ts';
import { isUnderWay } from '../tasks/tasks.ts';
import { letterFrom, noteLetter } from './accept-letter.ts';
import { makeAgain } from './again.ts';
import { waitFor } from './agent-tool.ts';
import { worktreesKept } from './isolation.ts';
import { answerPlan } from './plan-requests.ts';
import type { LiveAgent } from './roster.ts';
import description from './send-message.md' with { type: 'text' };
import type { AgentServices } from './services.ts';
import { startAgent } from './start-agent.ts';

const maxCharacters = 100_000;

const schema = z
  .object({
    to: z.string().min(1).max(200).optional().describe('Agent id or name'),
    recipient: z.string().min(1).max(200).optional(),
    message: z.union([z.string().min(1).max(maxCharacters), z.looseObject({ type: z.string() })]),
    summary: z.string().max(200).optional().describe('The message in 5-10 words'),
  })
  .strict();

type Input = z.output<typeof schema>;

/** Writes to an agent, whatever state it is in (TM10, CO4). */
export function sendMessageTool(services: () => AgentServices): Tool<typeof schema> {
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
      return send(services(), input, context);
    },
  });
}

/** Whom a message is from, and what its waiting ends with. */
interface Sender extends Pick<ToolContext, 'agentId' | 'toolUseId' | 'signal'> {
  /** A person: also what a person stopped goes on. */
  isUser?: true;
}

/** A person's own message to an agent, below the lead, who is told of the end. Gives what became of it, in words. */
export async function messageAgent(
  services: AgentServices,
  to: string,
  message: string,
): Promise<Result<string>> {
  if (message.trim() === '') return usage('message: expected what the agent is to be told.');
  const toolUseId = `message-${services.ids.token(12)}`;
  const { signal } = new AbortController();
  const sent = await send(services, { to, message }, { agentId: null, toolUseId, signal, isUser: true });
  return sent.isError ? usage(textOf(sent.content)) : ok(textOf(sent.content));
}

async function send(services: AgentServices, input: Input, context: Sender): Promise<ToolResult> {
  const address = input.to ?? input.recipient;
  if (address === undefined) return errorResult('Say in `to` whom the message is for.');
  const isPlanWord =
    typeof input.message !== 'string' &&
    input.message.type === 'plan_approval_response' &&
    context.agentId === null;
  if (typeof input.message !== 'string' && !isPlanWord)
    return errorResult('There is no team here: a message to an agent is plain text.');
  const sender = services.roster.find(context.agentId);
  if (!sender) return errorResult('This agent cannot send messages: it is not known to the session.');
  const task = services.tasks.view(address);
  if (task?.kind !== 'local_agent') return errorResult(unknown(services, address));
  if (task.owner !== context.agentId && context.agentId !== null)
    return errorResult(`${address} is not an agent of yours.`);
  if (typeof input.message !== 'string') return answerPlan(services, task.id, input.message);
  const mail = mailFor(services, context, input.message);
  return isUnderWay(task)
    ? deliver(services, sender, task, mail, context)
    : goOn(services, sender, task, mail, context);
}

async function deliver(
  services: AgentServices,
  sender: LiveAgent,
  task: TaskView,
  mail: Letter,
  context: Sender,
): Promise<ToolResult> {
  const live = services.roster.find(task.id);
  if (!live || live.isEnding) {
    await services.tasks.find(task.id)?.result();
    return goOn(services, sender, services.tasks.view(task.id) ?? task, mail, context);
  }
  const noted = live.log ? noteLetter(live.log, live.context, mail) : ok(undefined);
  if (!noted.ok) return errorResult(`The message was not delivered: ${noted.problem.message}`);
  services.leases?.told(task.id, context.agentId);
  live.context.inbox.post(mail);
  return textResult(`The agent ${task.id} reads it at its next step.`, {
    success: true,
    agentId: task.id,
    delivery: 'queued',
  });
}

/** Continues from the transcript as a new run of the same agent. */
async function goOn(
  services: AgentServices,
  sender: LiveAgent,
  task: TaskView,
  mail: Letter,
  context: Sender,
): Promise<ToolResult> {
  if (task.stoppedBy === 'user' && !context.isUser)
    return errorResult(`The user stopped the agent ${task.id}; only the user goes on with it.`);
  const loaded = await services.loadAgent(task.id);
  if (!loaded.ok) return errorResult(loaded.problem.message);
  const { state } = loaded.value;
  const again = services.tasks.view(task.id);
  if (again && isUnderWay(again)) return deliver(services, sender, again, mail, context);
  // A fork has its parent's prompt and tools: nobody else can stand in for that parent.
  if (state.inherits && state.inherits.agentId !== sender.context.agentId)
    return errorResult(`${task.id} is a fork of another agent, which alone can go on with it.`);
  const message = textOf(mail.content);
  const kept = state.worktree && worktreesKept(sender);
  if (kept)
    return errorResult(
      `${task.id} works in a worktree of its own. ${kept} Write to it when the plan is approved.`,
    );
  const settled =
    state.worktree && (await services.worktrees?.again(task.id, state.worktree, context.signal));
  if (settled && !settled.ok)
    return errorResult(`Its worktree cannot be used any more. ${settled.problem.message}`);
  const definition = services.definitions.find((one) => one.name === state.agentType);
  const servers = definition && services.openServers?.(definition);
  await servers?.ready(context.signal);
  const made = makeAgain(services, sender, loaded.value, {
    ...(servers ? { servers } : {}),
    agentId: task.id,
    toolUseId: context.toolUseId,
    description: task.description,
    prompt: message,
    background: services.settings.background,
    editsAllowed: false,
    ...(state.name ? { name: state.name } : {}),
    ...(settled ? { worktree: settled.value.record } : {}),
  });
  if (!made.ok) {
    if (settled) await services.worktrees?.leave(settled.value.record);
    await servers?.release();
    return errorResult(made.problem.message);
  }
  const child = {
    ...made.value,
    opening: [...made.value.opening, ...loaded.value.repairs],
  };
  const { unread, untold } = loaded.value;
  const letters = [...unread.map(letterFrom), ...untold.map(services.lateLetter), mail];
  const noted = noteLetter(child.log, sender.context, mail);
  if (!noted.ok) return errorResult(`The message was not delivered: ${noted.problem.message}`);
  const { background } = services.settings;
  const handle = startAgent(services, sender, child, { prompt: message, background, letters });
  if (!background) return waitFor(services, handle, child, message, context);
  return textResult(
    `The agent ${task.id} goes on with your message in the background; you will be notified when it ends.`,
    {
      success: true,
      agentId: task.id,
      runId: handle.runId,
      delivery: 'resumed',
      outputFile: handle.outputFile,
    },
  );
}

/** `from` and `id` are the harness's own: the words inside cannot change them. */
function mailFor({ ids }: AgentServices, { agentId, isUser }: Sender, message: string): Letter {
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

function unknown({ roster, tasks }: AgentServices, address: string): string {
  const agents = tasks
    .list()
    .filter((task) => task.kind === 'local_agent')
    .map((task) => (task.agent?.name ? `${task.agent.name} (${task.id})` : task.id));
  const names = roster.names();
  const known = [...new Set([...agents.slice(-20), ...names.slice(-20)])];
  return known.length > 0
    ? `There is no agent "${visibleLine(address, 100)}". There are: ${known.join(', ')}.`
    : `There is no agent "${visibleLine(address, 100)}", and no other has been started.`;
}
