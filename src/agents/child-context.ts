import { withScope } from '../knowledge/skill-scope.ts';
import type { AgentContext, AgentIdentity } from '../loop/agent-context.ts';
import { Conversation } from '../loop/conversation.ts';
import { judgedHistory } from '../loop/judged-history.ts';
import type { Judge, Outputs, TaskStarter } from '../protocol/index.ts';
import { Inbox } from '../tasks/inbox.ts';
import { openDirectory, openFileStates } from '../workspace/working-directory.ts';
import type { AgentKernel } from './kernel.ts';
import { type AgentSpec, formatType } from './spec.ts';

/**
 * A child's own world. Separate are: conversation, inbox, directory, files seen, outputs, todos, rules and mode, the
 * abort signal, the chain of requests. Shared are: clock, ids, the shell's environment, the history of files before
 * edits, and the root's registry of tasks, of which it sees only its own. It gets nothing from its parent that is not
 * in its spec.
 */
export function openContext(agents: AgentKernel, spec: AgentSpec): (signal: AbortSignal) => AgentContext {
  let world: World | undefined;
  return (signal) => {
    world ??= openWorld(agents, spec);
    return createContext(agents, spec, world, signal);
  };
}

/** The parts that last as long as the agent, over all its runs. */
type World = Pick<AgentContext, 'inbox' | 'conversation' | 'hands' | 'identity'>;

function openWorld(agents: AgentKernel, spec: AgentSpec): World {
  return {
    inbox: new Inbox(),
    conversation: new Conversation(spec.conversation.messages),
    hands: openHands(agents, spec),
    identity: identify(agents, spec),
  };
}

function identify(agents: AgentKernel, spec: AgentSpec): AgentIdentity {
  const { parent, request, source } = spec;
  return {
    sessionId: agents.sessionId,
    parentToolUseId: request.toolUseId,
    depth: parent.context.identity.depth + 1,
    source,
    chainId: agents.ids.uuid(),
    badge: {
      ...{ type: formatType(spec), description: request.description },
      ...(request.standby ? { member: request.standby.address } : {}),
    },
  };
}

function createContext(
  agents: AgentKernel,
  spec: AgentSpec,
  world: World,
  signal: AbortSignal,
): AgentContext {
  const { id: agentId, engine } = spec;
  const { questions, scopes } = agents;
  return {
    ...world,
    agentId,
    clock: agents.clock,
    ids: agents.ids,
    signal,
    model: engine.model,
    system: spec.system,
    tools: spec.tools.listed,
    get unlisted() {
      return spec.tools.unlisted();
    },
    thinking: engine.thinking,
    effort: engine.effort,
    get priority() {
      return spec.background || worksApart(agents, agentId) ? 'background' : 'foreground';
    },
    limits: engine.limits,
    output: spec.output,
    get permissions() {
      return withScope(spec.permissions(), scopes.of(agentId));
    },
    approval: questions.judge
      ? { ...questions, judge: withLeadsHistory(agents, questions.judge) }
      : questions,
    get hooks() {
      return scopes.extendHooks(agentId, spec.hooks);
    },
  };
}

/** No agent waits for it, or for an agent above it: it was moved to the background, or one above it was. */
function worksApart({ tasks }: Pick<AgentKernel, 'tasks'>, agentId: string): boolean {
  const task = tasks.view(agentId);
  if (!task) return false;
  return task.isBackgrounded || (task.owner !== null && worksApart({ tasks }, task.owner));
}

/** Only its parent talks to a delegate: what the user wants is known from the lead's conversation. */
function withLeadsHistory({ roster }: AgentKernel, judge: Judge): Judge {
  return {
    judge(subject, signal) {
      const isTold = subject.history.some((item) => item.kind === 'user');
      const above = isTold ? [] : (roster.find(null)?.context.conversation.records ?? []);
      return judge.judge({ ...subject, history: [...judgedHistory(above), ...subject.history] }, signal);
    },
  };
}

function openHands(
  agents: AgentKernel,
  { id: agentId, parent, request, place, source }: AgentSpec,
): AgentContext['hands'] {
  const { hands } = parent.context;
  const parentToolUseId = request.toolUseId;
  return {
    ...hands,
    directory: openDirectory(place.worktree?.path ?? hands.directory.root, place.cwd),
    // Copied, and only for a child that also has the parent's conversation. Later reads are the reader's own.
    files: openFileStates(source === 'fork' ? hands.files.all?.() : undefined),
    outputs: prefixOutputs(hands.outputs, agentId),
    tasks: openOwnTasks(agents, agentId),
    ...(place.leases ? { leases: place.leases } : {}),
    todos: {
      replace: (todos) => agents.publish({ type: 'todos_changed', todos, agentId, parentToolUseId }),
    },
  };
}

/** Each model makes its own ids for tool calls: two agents may use the same ones. */
function prefixOutputs(outputs: Outputs, agentId: string): Outputs {
  return { pathFor: (name) => outputs.pathFor(`${agentId}-${name}`) };
}

/** The root's registry, limited to the tasks that this agent started. */
function openOwnTasks({ tasks }: AgentKernel, agentId: string): TaskStarter {
  const isOwn = (id: string) => tasks.view(id)?.owner === agentId;
  return {
    spawn: (spec) => tasks.spawn({ ...spec, owner: agentId }),
    find: (id) => (isOwn(id) ? tasks.find(id) : undefined),
    running: () => tasks.running().filter((task) => task.owner === agentId),
    offer: (call) => tasks.offer(call),
  };
}
