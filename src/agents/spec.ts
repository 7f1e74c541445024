import type { AgentContext, Limits } from '../loop/agent-context.ts';
import { describeTools } from '../loop/describe-tools.ts';
import type { Account } from '../models/budget/account.ts';
import type { PermissionContext } from '../permissions/context.ts';
import type { OwnPlace, Role } from '../places/types.ts';
import type { EffortLevel } from '../protocol/effort.ts';
import type {
  AgentRecord,
  FileLeases,
  Hooks,
  KeptWorktree,
  MessageRecord,
  Model,
  Thinking,
  Tool,
  ToolContext,
  UserBlock,
} from '../protocol/index.ts';
import type { LetterRecord, TaskRecord } from '../protocol/record.ts';
import type { AgentSettings } from '../settings/loaded.ts';
import type { StructuredOutput } from '../tools/structured-output/synthetic-output.ts';
import type { WorktreeRecord } from '../workspace/worktrees/record.ts';
import type { AgentLog } from './agent-log.ts';
import type { AgentServers } from './agent-servers.ts';
import type { AgentDefinition, Effort } from './definition.ts';
import type { LiveAgent } from './roster.ts';
import type { Standby } from './standby.ts';
import { asAgentWorktree } from './worktrees.ts';

/**
 * One agent, from the request to what it runs with. It starts with the request, and named steps complete it in a fixed
 * order; its stored record, its context and its clean-up follow from it.
 */
export interface AgentSpec {
  readonly id: string;
  readonly parent: LiveAgent;
  readonly request: AgentRequest;
  readonly settings: AgentSettings;
  /** Its transcript, if it continues an earlier run. */
  readonly earlier: LoadedAgent | undefined;
  readonly log: AgentLog;
  /** A delegate starts with its prompt alone, a fork with its parent's conversation. */
  source: 'delegate' | 'fork';
  /** Absent for a fork. */
  definition: AgentDefinition | undefined;
  background: boolean;
  engine: AgentEngine;
  tools: AgentTools;
  permissions(): PermissionContext;
  place: AgentPlace;
  system: string[];
  conversation: AgentOpening;
  /** The MCP servers that it brings. */
  servers: AgentServers | undefined;
  hooks: Hooks | undefined;
  /** The form that its answer must have. */
  output: StructuredOutput | undefined;
  /** For the parent's model and the user. */
  notes: string[];
  /** Makes the context of a run. Everything but the signal lasts as long as the agent. */
  makeContext: (signal: AbortSignal) => AgentContext;
}

/** The request. */
export interface AgentRequest {
  readonly toolUseId: string;
  readonly description: string;
  readonly prompt: string;
  /** The harness made the prompt: text from elsewhere is labelled in it, and escaped already. */
  readonly isLabelled?: boolean | undefined;
  /** A definition, or the name of a type as written in the call; without one the default type is used. */
  readonly type: AgentDefinition | string | undefined;
  readonly name?: string | undefined;
  readonly model?: string | undefined;
  readonly effort?: Effort | undefined;
  /**
   * Where to work; if absent its definition decides. `shared` is the parent's directory, whatever the definition says.
   */
  readonly isolation?: 'worktree' | 'remote' | 'shared' | undefined;
  /** The label of the workers that may run it; it is remote then. */
  readonly host?: string | undefined;
  /** The worktree that it gets a scratch copy of, to try the work in it. */
  readonly worktree?: string | undefined;
  /** True, false, or what the call asks for: then settings and the definition decide. */
  readonly background: boolean | { wished: boolean };
  /** It waits for more instead of ending: a teammate. */
  readonly standby?: Standby | undefined;
  /** The model's call that asks for it. Without one a program started it for the user, and no question is asked. */
  readonly call?: ToolContext | undefined;
}

/** Its model, and the account that pays. */
export interface AgentEngine {
  model: Model;
  thinking: Thinking;
  effort?: EffortLevel | undefined;
  limits: Limits;
  account: Account;
}

export interface AgentTools {
  listed: readonly Tool[];
  /** Callable, but not shown: tools for its own background commands, and tools that came later. */
  unlisted(): readonly Tool[];
  /** Its permissions for them. */
  role(): Role;
  /** Its own directories, which it writes without asking. */
  writable: readonly OwnPlace[] | undefined;
  /** Why it must not be started with these. */
  problem: string | undefined;
}

/** Where it works. */
export interface AgentPlace {
  cwd: string;
  /** Where it works apart from all other agents. */
  worktree: WorktreeRecord | undefined;
  /** It makes its own worktree, in the process that it runs in. */
  makesWorktree?: boolean;
  /** What could not be brought into its worktree, in sentences. */
  gaps: readonly string[];
  /** The worktree's content when it ended, if any. */
  kept: KeptWorktree | undefined;
  leases: FileLeases | undefined;
  /** The name of the placement that runs it. */
  runsAt: string;
  /** The label of the workers that may run it, if it names one. */
  host?: string | undefined;
}

/** Its initial knowledge. */
export interface AgentOpening {
  /** Nothing, its own from before, or for a fork its parent's. */
  messages: readonly MessageRecord[];
  /** Its first message; empty if it continues. */
  content: readonly UserBlock[];
  /** Text from the harness before that. */
  reminder: string | undefined;
  /** For a fork: the agent, and the last of its messages, that the conversation is inherited from. */
  inherits: AgentRecord['inherits'];
}

/** An agent as stored in its transcript. */
export interface LoadedAgent {
  state: AgentRecord;
  /** Its own messages; a fork's inherited ones are before them. */
  messages: MessageRecord[];
  /** Records to write before anything new. */
  repairs: MessageRecord[];
  /** Its own background tasks whose end it never received. */
  untold: TaskRecord[];
  /** Letters that it has not read. */
  unread: LetterRecord[];
  /** Ids of calls that it had begun, and whose message is damaged. */
  lost: string[];
}

export interface SpecDraft {
  id: string;
  parent: LiveAgent;
  request: AgentRequest;
  settings: AgentSettings;
  log: AgentLog;
  earlier?: LoadedAgent | undefined;
}

/** A spec before its first step: without tools, prompt and permissions. */
export function draftAgent({ id, parent, request, settings, log, earlier }: SpecDraft): AgentSpec {
  const { context } = parent;
  return {
    id,
    parent,
    request,
    settings,
    log,
    earlier,
    source: earlier?.state.source ?? 'delegate',
    definition: typeof request.type === 'object' ? request.type : undefined,
    background: request.background === true,
    engine: {
      model: context.model,
      thinking: { type: 'off' },
      limits: context.limits,
      account: parent.account,
    },
    tools: {
      listed: [],
      unlisted: () => [],
      role: () => noRole,
      writable: undefined,
      problem: undefined,
    },
    permissions: () => ({ ...context.permissions, role: noRole, rules: [] }),
    place: {
      cwd: context.hands.directory.current,
      worktree: undefined,
      gaps: [],
      kept: undefined,
      leases: undefined,
      runsAt: 'here',
    },
    system: [],
    conversation: { messages: [], content: [], reminder: undefined, inherits: undefined },
    servers: undefined,
    hooks: undefined,
    output: undefined,
    notes: [],
    makeContext() {
      throw new Error(`the agent ${id} has no context before its steps`);
    },
  };
}

const noRole: Role = { tools: [], denied: [], shell: 'none', writes: false };

export function formatType({ definition, source, earlier }: AgentSpec): string {
  return earlier?.state.agentType ?? definition?.name ?? source;
}

/** The agent that started it: an agent that another one writes to stays that of its first parent. */
export function findOwner({ parent, earlier }: AgentSpec): string | null {
  return earlier ? earlier.state.owner : parent.context.agentId;
}

/** The first record of its transcript. */
export function recordAgent(spec: AgentSpec, now: number): AgentRecord {
  const { id, request, parent, source, place, conversation } = spec;
  return {
    type: 'agent-state',
    timestamp: new Date(now).toISOString(),
    agentId: id,
    agentType: formatType(spec),
    source,
    description: request.description,
    ...(request.name ? { name: request.name } : {}),
    owner: parent.context.agentId,
    toolUseId: request.toolUseId,
    depth: parent.context.identity.depth + 1,
    ...(place.worktree ? { worktree: asAgentWorktree(place.worktree) } : {}),
    ...(place.runsAt === 'here' ? {} : { runsAt: place.runsAt }),
    ...(place.host === undefined ? {} : { host: place.host }),
    model: spec.engine.model.id,
    effort: request.effort,
    tools: spec.tools.listed.map((tool) => tool.name),
    cwd: place.cwd,
    system: spec.system,
    ...(source === 'fork' ? { sent: recordSent(spec) } : {}),
    ...(conversation.inherits ? { inherits: conversation.inherits } : {}),
  };
}

/** A fork that continues in a later process sends these bytes again; its parent may have others by then. */
function recordSent({ tools, engine }: AgentSpec): AgentRecord['sent'] {
  const { thinking, effort } = engine;
  return { tools: describeTools(tools.listed), thinking, effort };
}
