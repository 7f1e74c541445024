import { ok, type Result, usage } from '../../lib/result.ts';
import { nearNames } from '../../lib/text/near-names.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { matchesName } from '../../places/name-pattern.ts';
import type { Rule } from '../../protocol/permission.ts';
import { formatRule } from '../../settings/rules.ts';
import { type AgentDefinition, forkType, workerType } from '../definition.ts';
import { typeAliases } from '../definitions/built-in.ts';
import { isForked } from '../fork-messages.ts';
import { resolveIsolation } from '../isolation.ts';
import type { AgentKernel, AgentStep } from '../kernel.ts';
import { describeTotalReached } from '../limits.ts';
import { searchMark } from '../list-types.ts';
import type { LiveAgent } from '../roster.ts';
import type { AgentSpec } from '../spec.ts';

/** Which type of agent it is, whether its parent may start one, and whether a caller waits for it. */
export const typeStep: AgentStep = {
  name: 'type',
  complete(spec, agents) {
    if (spec.earlier) return findEarlierType(spec, agents);
    if (spec.definition) return ok(undefined);
    return chooseType(spec, agents);
  },
};

function chooseType(spec: AgentSpec, agents: AgentKernel): Result<void> {
  const { parent, request } = spec;
  const refusal = refuseCall(spec, agents);
  if (refusal) return usage(refusal);
  const found = resolveType(typeof request.type === 'string' ? request.type : undefined, {
    definitions: agents.definitions,
    forking: agents.settings.fork,
    rules: parent.context.permissions.rules,
    spawnable: parent.spawnable,
    coordinates: parent.coordinates === true,
  });
  if (!found.ok) return found;
  if (found.value.kind === 'fork') spec.source = 'fork';
  else spec.definition = found.value.definition;
  spec.background = runsInBackground(spec, agents);
  return spec.source === 'fork' && resolveIsolation(spec, agents) === 'remote'
    ? usage(
        'A fork shares this conversation and stays on this machine.',
        'Name a subagent_type, or leave out isolation: remote.',
      )
    : ok(undefined);
}

/** The same agent again: of the same type, if that still exists. */
function findEarlierType(spec: AgentSpec, { definitions }: AgentKernel): Result<void> {
  const { agentType, agentId, source } = spec.earlier?.state ?? {};
  if (source === 'fork') return ok(undefined);
  spec.definition = definitions.find((one) => one.name === agentType);
  if (spec.definition) return ok(undefined);
  return usage(`The agent type ${agentType} no longer exists, so ${agentId} cannot be resumed.`);
}

function refuseCall({ parent, request }: AgentSpec, agents: AgentKernel): string | undefined {
  const { settings, placements } = agents;
  if (isFork(parent)) return 'A fork cannot start agents. Do the task yourself, and report.';
  if (parent.context.identity.depth >= settings.maxDepth)
    return (
      `Agents can be nested ${settings.maxDepth} deep, and this one is at depth ${parent.context.identity.depth}: ` +
      'do the work yourself. (The limit is agents.maxDepth.)'
    );
  const enough = describeTotalReached(agents);
  if (enough) return enough;
  const isRemote = request.isolation === 'remote' || request.host !== undefined;
  if (isRemote && !placements.has('remote'))
    return `isolation: remote is not available here: ${noEngine} Leave it out, and give each agent its own files.`;
  return undefined;
}

export const noEngine =
  'no engine is set, which the user can do with --engine ADDRESS, the setting remote.engine or CADRE_ENGINE.';

/** Checked twice: by what the agent is, and by its history. */
function isFork({ context }: LiveAgent): boolean {
  return context.identity.source === 'fork' || isForked(context.conversation.records);
}

/** Background work switched off overrides every request for it. */
function runsInBackground(spec: AgentSpec, agents: AgentKernel): boolean {
  const { parent, request, definition } = spec;
  const { settings } = agents;
  if (!settings.background) return false;
  if (parent.isTeammate) return false;
  if (parent.coordinates || request.standby || resolveIsolation(spec, agents) === 'remote') return true;
  const isWished = typeof request.background === 'object' ? request.background.wished : request.background;
  return settings.fork || definition?.background === true || isWished;
}

export interface TypeOptions {
  definitions: readonly AgentDefinition[];
  /** Whether an agent may continue from the conversation of its parent. */
  forking: boolean;
  rules: readonly Rule[];
  /** The types that the caller's own definition lets it start; absent is any type. */
  spawnable?: readonly string[] | undefined;
  /** The caller is a coordinator, which has only workers. */
  coordinates?: boolean;
}

export type ResolvedType = { kind: 'fork' } | { kind: 'definition'; definition: AgentDefinition };

/**
 * Which type of agent a call means. An unknown type and a type that is not allowed are told apart: after the first the
 * caller can choose another, after the second it should continue without.
 */
export function resolveType(named: string | undefined, options: TypeOptions): Result<ResolvedType> {
  const { definitions, forking, coordinates } = options;
  if (coordinates && named !== undefined && plainName(named) !== workerType)
    return usage(
      `In coordinator mode subagent_type is "${workerType}", not ${visibleLine(named, 100)}.`,
      'Leave it out, and say in the prompt what the worker should do and whether it may change files.',
    );
  const wanted = coordinates ? workerType : (named ?? (forking ? forkType : 'general-purpose'));
  const definition = findType(definitions, wanted);
  const name = definition?.name ?? wanted;
  const refusal = findRefusal(name, options);
  if (wanted === forkType) {
    if (!forking)
      return usage(
        'Forks are switched off here.',
        'Name another subagent_type, and put what the agent must know into the prompt.',
      );
    return refusal ?? ok({ kind: 'fork' });
  }
  if (!definition)
    return usage(`There is no agent type ${visibleLine(wanted, 100)}.`, describeAvailable(wanted, options));
  return refusal ?? ok({ kind: 'definition', definition });
}

/** By its name, else by a common other name. */
export function findType(definitions: readonly AgentDefinition[], name: string): AgentDefinition | undefined {
  const called = (wanted: string | undefined) => definitions.find((definition) => definition.name === wanted);
  return called(name) ?? called(typeAliases.get(name));
}

/** The types that a child may start: those its own definition names, limited to those of its parent. */
export function narrowSpawnable(
  parent: readonly string[] | undefined,
  own: readonly string[] | undefined,
): readonly string[] | undefined {
  if (parent === undefined || own === undefined) return own ?? parent;
  return own.filter((name) => parent.some((other) => isSameType(other, name)));
}

function findRefusal(name: string, { rules, spawnable }: TypeOptions): Result<never> | undefined {
  const rule = rules.find((one) => denies(one, name));
  if (rule)
    return usage(
      `The agent type ${name} is denied by the rule ${formatRule(rule)} (${rule.source}).`,
      'Continue without it.',
    );
  if (spawnable === undefined || spawnable.some((other) => isSameType(other, name))) return undefined;
  return usage(`This agent may not start agents of type ${name}, only: ${spawnable.join(', ') || 'none'}.`);
}

function denies({ behaviour, tool, specifier }: Rule, name: string): boolean {
  if (behaviour !== 'deny' || tool !== 'Agent' || specifier === undefined) return false;
  const types = specifier.replace(/^subagent_type:/, '').split(',');
  return types.some((type) => isSameType(type.trim(), name) || matchesName(type.trim(), name));
}

function isSameType(a: string, b: string): boolean {
  return plainName(a) === plainName(b);
}

function plainName(name: string): string {
  return (typeAliases.get(name.toLowerCase()) ?? name).toLowerCase();
}

const maxNames = 50;

/** Those that resemble it come first: with many types, the one that was meant may not be among the names. */
function describeAvailable(wanted: string, options: TypeOptions): string {
  const names = options.definitions
    .map(({ name }) => name)
    .filter((name) => findRefusal(name, options) === undefined)
    .sort();
  const near = names.length > maxNames ? listNear(wanted, names) : [];
  const shown = [...new Set([...near, ...(options.forking ? [forkType] : []), ...names])];
  const more =
    shown.length > maxNames
      ? ` and ${shown.length - maxNames} more: call with subagent_type "${searchMark}" and the task as prompt to find one`
      : '';
  return `Available types: ${shown.slice(0, maxNames).join(', ')}${more}.`;
}

function listNear(wanted: string, names: readonly string[]): string[] {
  const words = wanted
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 2);
  const alike = names.filter((name) => words.some((word) => name.toLowerCase().includes(word)));
  return [...nearNames(wanted, names), ...alike].slice(0, maxNames / 2);
}
