import { ok, type Result, usage } from '../lib/result.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import type { Account } from '../models/budget/account.ts';
import { capsOf } from '../models/budget/caps.ts';
import type { Role } from '../permissions/types.ts';
import type {
  AgentRecord,
  MessageRecord,
  Model,
  PermissionMode,
  Tool,
  UserBlock,
} from '../protocol/index.ts';
import type { WorktreeRecord } from '../workspace/worktree-record.ts';
import type { AgentLog } from './agent-log.ts';
import { type AgentServers, withServerTools } from './agent-servers.ts';
import { type ChildContext, childContext } from './child-context.ts';
import { childHooks } from './child-hooks.ts';
import { childMode } from './child-mode.ts';
import { childPermissions } from './child-permissions.ts';
import type { AgentDefinition, Effort } from './definition.ts';
import { thinkingFor } from './effort.ts';
import { forkMessages } from './fork-messages.ts';
import { isolated, placeOf } from './isolation.ts';
import { chooseLate } from './late-tools.ts';
import type { RunLimits } from './limits.ts';
import { resolveAgentModel } from './resolve-model.ts';
import { narrowSpawnable } from './resolve-type.ts';
import type { LiveAgent } from './roster.ts';
import type { AgentServices, LoadedAgent } from './services.ts';
import { forkTurns } from './settings.ts';
import { namesAgent, resolveTools } from './tool-filter.ts';
import { withMemory } from './with-memory.ts';
import { asAgentWorktree, placeNote } from './worktrees.ts';

/** An agent that is ready to run. */
export interface Child {
  readonly id: string;
  readonly type: string;
  readonly name?: string;
  readonly description: string;
  readonly parentToolUseId: string;
  readonly owner: string | null;
  readonly depth: number;
  readonly model: string;
  readonly account: Account;
  readonly spawnable?: readonly string[];
  readonly runLimits: RunLimits;
  readonly log: AgentLog;
  /** Its system prompt, where that is its own: it may be completed until it starts. */
  readonly system?: string[];
  /** Where it works apart from everybody else. */
  readonly worktree?: WorktreeRecord;
  readonly makeContext: ChildContext;
  /** Written before anything else of the run. */
  readonly opening: readonly (AgentRecord | MessageRecord)[];
  /** What its first message is. */
  readonly content: readonly UserBlock[];
  /** For the parent's model and the user. */
  readonly notes: readonly string[];
  /** Gives back what it brought along. Twice does no harm. */
  release?(): Promise<void>;
}

/** What was asked for, with every choice made. */
export interface Order {
  agentId: string;
  toolUseId: string;
  description: string;
  prompt: string;
  name?: string;
  model?: string;
  effort?: Effort;
  background: boolean;
  /** The user has said that this type of agent may edit unasked. */
  editsAllowed: boolean;
  /** Its own worktree, where it is to work apart. */
  worktree?: WorktreeRecord;
  /** What git says of where it begins: the end of its system prompt. */
  gitStatus?: string;
  /** The MCP servers that it brings along. */
  servers?: AgentServers;
}

export function contextOf(child: Child, signal: AbortSignal): AgentContext {
  return child.makeContext(signal);
}

/** A child with a fresh context: it knows its prompt and nothing else of its parent's conversation. */
export function makeDelegate(
  services: AgentServices,
  parent: LiveAgent,
  definition: AgentDefinition,
  order: Order,
): Result<Child> {
  const base = accountFor(services, parent, order.agentId);
  const chosen = chooseModel(services, parent, base, order.model, definition);
  if (!chosen.ok) return chosen;
  const model = chosen.value;
  const cwd = placeOf(parent, order);
  const state: AgentRecord = {
    ...stateOf(services, parent, order, definition.name, 'delegate'),
    model: model.id,
    tools: [],
    cwd,
    system: [
      ...services.renderSystem(definition, model.id, cwd),
      ...(order.gitStatus === undefined ? [] : [order.gitStatus]),
    ],
  };
  return assembleDelegate(services, parent, definition, {
    ...{ order, state, model, account: base, messages: [], isNew: true },
    content: [{ type: 'text', text: order.prompt }],
  });
}

/** The same agent again, from its transcript: same id, type, model, tools and directory (TS2). */
export function makeAgain(
  services: AgentServices,
  parent: LiveAgent,
  loaded: LoadedAgent,
  order: Order,
): Result<Child> {
  const { state } = loaded;
  const account = accountFor(services, parent, state.agentId);
  const model = services.model(state.model, parent.context.model, account);
  if (!model.ok) return model;
  if (state.source === 'fork')
    return assembleFork(services, parent, order, state, model.value, account, loaded.messages, []);
  const definition = services.definitions.find((one) => one.name === state.agentType);
  if (!definition)
    return usage(
      `The agent type ${state.agentType} is not there any more, so that ${state.agentId} cannot go on.`,
    );
  return assembleDelegate(services, parent, definition, {
    ...{ order, state, model: model.value, account, messages: loaded.messages, isNew: false },
    content: [],
  });
}

interface DelegateParts {
  order: Order;
  state: AgentRecord;
  model: Model;
  account: Account;
  messages: readonly MessageRecord[];
  content: readonly UserBlock[];
  isNew: boolean;
}

function assembleDelegate(
  services: AgentServices,
  parent: LiveAgent,
  definition: AgentDefinition,
  parts: DelegateParts,
): Result<Child> {
  const { order, model, account } = parts;
  const { settings } = services;
  const above = parent.context;
  const mode = (parentMode: PermissionMode) =>
    childMode({
      parent: parentMode,
      definition: services.approvedPlans.has(order.agentId) ? withoutPlan(definition) : definition,
      ownWorktree: order.worktree !== undefined,
      editsAllowed: order.editsAllowed,
      bypassAllowed: services.bypassAllowed,
    });
  const { servers } = order;
  const all = withServerTools(services.tools(), servers);
  const { pool, background } = parts.isNew
    ? { pool: all, background: order.background }
    : { pool: named(all, parts.state.tools), background: false };
  const choice = {
    definition,
    background,
    mode: mode(above.permissions.mode),
    depth: above.depth + 1,
    maxDepth: settings.maxDepth,
    ...(settings.giveBack ? { giveBack: settings.giveBack } : {}),
  };
  const resolved = resolveTools(pool, choice);
  const late = chooseLate(servers, choice, parts.isNew ? undefined : parts.state.tools);
  if (resolved.problem !== undefined && !late) return usage(resolved.problem);
  const hidden = [
    ...ownTaskTools(services.tools(), resolved.tools),
    ...limitTeller(services, definition, above.depth + 1, resolved.tools),
  ];
  const memory = services.memoryOf(definition);
  const { tools: chosen, role } = withMemory(memory, services.tools(), resolved, definition);
  const tools = late ? [...chosen, late.tool] : chosen;
  const unlisted = () => [...hidden, ...(late?.come(chosen) ?? [])];
  const state = { ...parts.state, tools: tools.map((tool) => tool.name) };
  const maxTurns = definition.maxTurns ?? settings.maxTurns;
  const spawnable = narrowSpawnable(parent.spawnable, definition.spawnable);
  return ok({
    ...childBase(services, order, state, account, parts.isNew),
    ...(spawnable ? { spawnable } : {}),
    content: parts.content,
    ...(parts.isNew && state.system ? { system: state.system } : {}),
    notes: servers?.notes() ?? [],
    ...(servers ? { release: () => servers.release() } : {}),
    makeContext: childContext(services, above, {
      agentId: order.agentId,
      parentToolUseId: order.toolUseId,
      source: 'delegate',
      messages: parts.messages,
      model,
      system: state.system ?? [],
      tools,
      unlisted,
      thinking: thinkingFor(order.effort ?? definition.effort, model),
      limits: {
        ...withoutTurns(above.limits),
        ...(maxTurns === undefined ? {} : { maxTurns }),
        ...compactAt(above.limits.compactAt, definition.autoCompactWindow),
      },
      permissions: isolated(
        order,
        childPermissions(() => above.permissions, {
          get role() {
            return withTools(role, late ? [late.tool, ...unlisted()] : hidden);
          },
          mode,
          planFile: () => services.planFile(order.agentId),
          rules: () => services.rules(order.agentId),
          ...(memory?.mayWrite ? { writable: [memory.directory] } : {}),
        }),
      ),
      cwd: state.cwd,
      ...(order.worktree ? { root: order.worktree.path } : {}),
      inheritsFiles: false,
      background: order.background,
      hooks: childHooks(services, order, state.agentType, definition),
      badge: { type: state.agentType, description: order.description },
    }),
  });
}

/** A child with the parent's whole conversation, for the price of a cache hit (FK1). */
export function makeFork(services: AgentServices, parent: LiveAgent, order: Order): Result<Child> {
  const above = parent.context;
  const directive = order.worktree ? `${placeNote(order.worktree)}\n\n${order.prompt}` : order.prompt;
  const start = forkMessages(above.conversation.records, order.toolUseId, directive);
  const caller = start?.inherited.at(-1);
  if (!start || !caller)
    return usage(
      'The conversation that this call stands in is not there to be inherited; nothing was forked.',
    );
  const account = accountFor(services, parent, order.agentId);
  const model = services.model(null, above.model, account);
  if (!model.ok) return model;
  const state: AgentRecord = {
    ...stateOf(services, parent, order, 'fork', 'fork'),
    model: model.value.id,
    tools: above.tools.map((tool) => tool.name),
    cwd: placeOf(parent, order),
    inherits: { agentId: above.agentId, messageUuid: caller.uuid },
  };
  return assembleFork(services, parent, order, state, model.value, account, start.inherited, start.content);
}

function assembleFork(
  services: AgentServices,
  parent: LiveAgent,
  order: Order,
  state: AgentRecord,
  model: Model,
  account: Account,
  messages: readonly MessageRecord[],
  content: readonly UserBlock[],
): Result<Child> {
  const above = parent.context;
  return ok({
    ...childBase(services, order, state, account, content.length > 0),
    content,
    notes: [],
    makeContext: childContext(services, above, {
      agentId: order.agentId,
      parentToolUseId: order.toolUseId,
      source: 'fork',
      messages,
      model,
      system: above.system,
      tools: above.tools,
      unlisted: () => above.unlisted ?? [],
      thinking: above.thinking,
      limits: {
        ...withoutTurns(above.limits),
        maxTurns: Math.min(services.settings.maxTurns ?? forkTurns, forkTurns),
      },
      permissions: isolated(
        order,
        childPermissions(() => above.permissions, {
          role: above.permissions.role,
          mode: (parent) => parent,
          rules: () => services.rules(order.agentId),
        }),
      ),
      cwd: state.cwd,
      ...(order.worktree ? { root: order.worktree.path } : {}),
      inheritsFiles: true,
      background: order.background,
      hooks: childHooks(services, order, state.agentType),
      badge: { type: state.agentType, description: order.description },
    }),
  });
}

function childBase(
  services: AgentServices,
  order: Order,
  state: AgentRecord,
  account: Account,
  isNew: boolean,
): Omit<Child, 'makeContext' | 'content' | 'notes'> {
  const { settings } = services;
  return {
    id: order.agentId,
    type: state.agentType,
    ...(state.name ? { name: state.name } : {}),
    description: order.description,
    parentToolUseId: order.toolUseId,
    owner: state.owner,
    depth: state.depth,
    model: state.model,
    account,
    runLimits: {
      idleSeconds: settings.idleSeconds,
      ...(settings.timeoutSeconds === undefined ? {} : { timeoutSeconds: settings.timeoutSeconds }),
    },
    log: services.openLog(order.agentId),
    ...(order.worktree ? { worktree: order.worktree } : {}),
    opening: isNew ? [state] : [],
  };
}

function accountFor({ settings, account }: AgentServices, parent: LiveAgent, agentId: string): Account {
  const { maxTokens, maxBudgetUsd } = settings;
  return account(
    parent.account,
    agentId,
    capsOf({
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
    }),
  );
}

function chooseModel(
  services: AgentServices,
  parent: LiveAgent,
  account: Account,
  called: string | undefined,
  definition: AgentDefinition,
): Result<Model> {
  const own = services.model(null, parent.context.model, account);
  if (!own.ok) return own;
  const chosen = resolveAgentModel({
    call: called,
    definition,
    environment: services.settings.model,
    parent: own.value,
    resolve: (name) => services.model(name, parent.context.model, account),
    said: services.said,
  });
  if (!chosen.ok) return chosen;
  if (chosen.value.note) services.notice(chosen.value.note);
  return ok(chosen.value.model);
}

function stateOf(
  services: AgentServices,
  parent: LiveAgent,
  order: Order,
  agentType: string,
  source: AgentRecord['source'],
): Omit<AgentRecord, 'model' | 'tools' | 'cwd'> {
  return {
    type: 'agent-state',
    timestamp: new Date(services.clock.now()).toISOString(),
    agentId: order.agentId,
    agentType,
    source,
    description: order.description,
    ...(order.name ? { name: order.name } : {}),
    owner: parent.context.agentId,
    toolUseId: order.toolUseId,
    depth: parent.context.depth + 1,
    ...(order.worktree ? { worktree: asAgentWorktree(order.worktree) } : {}),
  };
}

/** Those it had, as far as they are still there: going on gives nothing new, and moving to the background takes nothing. */
function named(all: readonly Tool[], names: readonly string[]): Tool[] {
  return all.filter(({ name }) => names.includes(name));
}

/** What lets an agent read and stop its own background commands; its view of the registry holds nobody else's. */
function ownTaskTools(all: readonly Tool[], kept: readonly Tool[]): Tool[] {
  if (!kept.some((tool) => tool.name === 'Bash')) return [];
  return all.filter(({ name }) => name === 'TaskOutput' || name === 'TaskStop');
}

/**
 * At the limit of depth the tool itself says so to an agent whose definition gives it: "there is no such tool" would be
 * half of the truth (AG9).
 */
function limitTeller(
  { tools, settings }: AgentServices,
  definition: AgentDefinition,
  depth: number,
  kept: readonly Tool[],
): Tool[] {
  if (!namesAgent(definition) || depth < settings.maxDepth) return [];
  return kept.some((tool) => tool.name === 'Agent') ? [] : tools().filter(({ name }) => name === 'Agent');
}

function withTools(role: Role, more: readonly Tool[]): Role {
  return role.tools === '*' ? role : { ...role, tools: [...role.tools, ...more.map((tool) => tool.name)] };
}

function withoutTurns({ maxTurns: _, ...limits }: AgentContext['limits']): AgentContext['limits'] {
  return limits;
}

/** Its plan was approved: from here on it is as if it had asked for no mode. */
function withoutPlan({
  permissionMode,
  source,
}: AgentDefinition): Pick<AgentDefinition, 'permissionMode' | 'source'> {
  return permissionMode === 'plan' || permissionMode === undefined ? { source } : { permissionMode, source };
}

function compactAt(a: number | undefined, b: number | undefined): { compactAt?: number } {
  const lowest = Math.min(a ?? Number.POSITIVE_INFINITY, b ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(lowest) ? { compactAt: lowest } : {};
}
