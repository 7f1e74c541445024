import { withScope } from '../knowledge/skill-scope.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import { Conversation } from '../loop/conversation.ts';
import { judgedHistory } from '../loop/judged-history.ts';
import type { PermissionContext } from '../permissions/context.ts';
import type {
  Badge,
  Hooks,
  Judge,
  MessageRecord,
  Model,
  Outputs,
  TaskStarter,
  Thinking,
  Tool,
} from '../protocol/index.ts';
import { Inbox } from '../tasks/inbox.ts';
import { openDirectory, openFileStates } from '../workspace/working-directory.ts';
import type { AgentServices } from './services.ts';

/** What makes a child what it is. Whatever is not said here it does not get from its parent. */
export interface ChildOptions {
  agentId: string;
  parentToolUseId: string;
  source: 'delegate' | 'fork';
  /** Its conversation so far: nothing, its own from before, or for a fork its parent's. */
  messages: readonly MessageRecord[];
  model: Model;
  system: readonly string[];
  tools: readonly Tool[];
  /** Callable, but not shown: what an agent may do with its own background commands, and tools that came later. */
  unlisted(): readonly Tool[];
  thinking: Thinking;
  limits: AgentContext['limits'];
  permissions(): PermissionContext;
  /** Where it starts to work. */
  cwd: string;
  /** The top of what it works on, where that is not its parent's. */
  root?: string;
  /** Shares what the parent has read, by copy: only for a child that also has the parent's conversation. */
  inheritsFiles: boolean;
  background: boolean;
  hooks?: Hooks | undefined;
  badge: Badge;
}

/** Makes the context of a run. Everything but the signal lasts as long as the agent. */
export type ChildContext = (signal: AbortSignal) => AgentContext;

/**
 * A child's own world. Apart are: conversation, inbox, directory, files seen, outputs, todos, rules and mode, the abort
 * signal, the chain of requests. Shared are the machine's: clock, ids, the shell's environment, the history of files
 * before edits, and the root's registry of tasks, of which it sees only its own.
 */
export function childContext(
  services: AgentServices,
  parent: AgentContext,
  options: ChildOptions,
): ChildContext {
  const { agentId, permissions } = options;
  const inbox = new Inbox();
  const conversation = new Conversation(options.messages);
  const chainId = services.ids.uuid();
  const hands = childHands(services, parent, options);
  return (signal) => ({
    agentId,
    sessionId: services.sessionId,
    parentToolUseId: options.parentToolUseId,
    depth: parent.depth + 1,
    source: options.source,
    chainId,
    conversation,
    inbox,
    clock: services.clock,
    ids: services.ids,
    signal,
    model: options.model,
    system: options.system,
    tools: options.tools,
    get unlisted() {
      return options.unlisted();
    },
    thinking: options.thinking,
    get priority() {
      return options.background || worksApart(services, agentId) ? 'background' : 'foreground';
    },
    limits: options.limits,
    get permissions() {
      return withScope(permissions(), services.scopes.of(agentId));
    },
    ask: services.ask,
    get hooks() {
      return services.scopes.hooksOf(agentId, options.hooks);
    },
    noteDenial: (denial) => services.noteDenial(denial),
    noteSkip: (skip) => services.noteSkip(skip),
    badge: options.badge,
    ...(services.judge ? { judge: withLeadsHistory(services, services.judge) } : {}),
    hands,
  });
}

/** Nobody waits for it any more, or for an agent above it: it was moved, or theirs is work in the background. */
function worksApart({ tasks }: Pick<AgentServices, 'tasks'>, agentId: string): boolean {
  const task = tasks.view(agentId);
  if (!task) return false;
  return task.isBackgrounded || (task.owner !== null && worksApart({ tasks }, task.owner));
}

/** Nobody speaks to a delegate but its parent: what the user wants is known from the lead's conversation. */
function withLeadsHistory({ roster }: AgentServices, judge: Judge): Judge {
  return {
    judge(subject, signal) {
      const isTold = subject.history.some((item) => item.kind === 'user');
      const above = isTold ? [] : (roster.find(null)?.context.conversation.records ?? []);
      return judge.judge({ ...subject, history: [...judgedHistory(above), ...subject.history] }, signal);
    },
  };
}

function childHands(
  services: AgentServices,
  parent: AgentContext,
  { agentId, parentToolUseId, cwd, root, inheritsFiles }: ChildOptions,
): AgentContext['hands'] {
  return {
    ...parent.hands,
    directory: openDirectory(root ?? parent.hands.directory.root, cwd),
    // Later reads of either are the reader's own.
    files: openFileStates(inheritsFiles ? parent.hands.files.all?.() : undefined),
    outputs: outputsOf(parent.hands.outputs, agentId),
    tasks: ownTasks(services, agentId),
    ...(services.fileLeases ? { leases: services.fileLeases(agentId) } : {}),
    todos: {
      replace: (todos) => services.publish({ type: 'todos_changed', todos, agentId, parentToolUseId }),
    },
  };
}

/** Ids of tool calls are each model's own: two agents may use the same ones. */
function outputsOf(outputs: Outputs, agentId: string): Outputs {
  return { pathFor: (name) => outputs.pathFor(`${agentId}-${name}`) };
}

/** The root's registry, through which an agent sees what it started and nobody else's. */
function ownTasks({ tasks }: AgentServices, agentId: string): TaskStarter {
  const isOwn = (id: string) => tasks.view(id)?.owner === agentId;
  return {
    spawn: (spec) => tasks.spawn({ ...spec, owner: agentId }),
    find: (id) => (isOwn(id) ? tasks.find(id) : undefined),
    running: () => tasks.running().filter((task) => task.owner === agentId),
    offer: (call) => tasks.offer(call),
  };
}
