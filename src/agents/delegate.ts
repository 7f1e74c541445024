import { escapeHarnessTags } from '../lib/harness-tags.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import type { Account } from '../models/budget/account.ts';
import type { Role } from '../permissions/types.ts';
import type {
  AgentRecord,
  MessageRecord,
  Model,
  PermissionMode,
  Tool,
  UserBlock,
} from '../protocol/index.ts';
import { withServerTools } from './agent-servers.ts';
import { accountFor, type Child, childBase, type Order, stateOf, withoutTurns } from './child.ts';
import { childContext } from './child-context.ts';
import { childHooks } from './child-hooks.ts';
import { childMode } from './child-mode.ts';
import { childPermissions } from './child-permissions.ts';
import type { AgentDefinition } from './definition.ts';
import { thinkingFor } from './effort.ts';
import { isolated, placeOf } from './isolation.ts';
import { chooseLate } from './late-tools.ts';
import { resolveAgentModel } from './resolve-model.ts';
import { narrowSpawnable } from './resolve-type.ts';
import type { LiveAgent } from './roster.ts';
import type { AgentServices } from './services.ts';
import { namesAgent, resolveTools } from './tool-filter.ts';
import { withMemory } from './with-memory.ts';
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
    content: [{ type: 'text', text: escapeHarnessTags(order.prompt) }],
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

export function assembleDelegate(
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
  const ownMode = mode(above.permissions.mode);
  const { servers } = order;
  const all = withServerTools(services.tools(), servers);
  const { pool, background } = parts.isNew
    ? { pool: all, background: order.background }
    : { pool: named(all, parts.state.tools), background: false };
  const choice = {
    definition,
    background,
    mode: ownMode,
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
    ...(parts.isNew && plansByItself(above.permissions.mode, ownMode, tools)
      ? { reminder: services.planInstructions(order.agentId) }
      : {}),
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
 * half of the truth.
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

/** In a plan mode that is its own: whom a planning parent starts is there to help with the parent's plan. */
function plansByItself(parent: PermissionMode, own: PermissionMode, tools: readonly Tool[]): boolean {
  return own === 'plan' && parent !== 'plan' && tools.some(({ name }) => name === 'ExitPlanMode');
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
