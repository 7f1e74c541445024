import { ok, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text.ts';
import { matchesName } from '../permissions/pattern.ts';
import type { Rule } from '../protocol/permission.ts';
import { formatRule } from '../settings/rules.ts';
import { typeAliases } from './built-in.ts';
import { type AgentDefinition, forkType, workerType } from './definition.ts';

export interface TypeOptions {
  definitions: readonly AgentDefinition[];
  /** Whether an agent may go on from the conversation of its parent. */
  forking: boolean;
  rules: readonly Rule[];
  /** What the caller's own definition lets it start; absent is any type. */
  spawnable?: readonly string[];
  /** The caller is a coordinator, who has workers and nobody else. */
  coordinates?: boolean;
}

export type ResolvedType = { kind: 'fork' } | { kind: 'definition'; definition: AgentDefinition };

/**
 * Which type of agent a call means. What is not there and what is not allowed are told apart: after the first the
 * caller can choose another, after the second it should go on without.
 */
export function resolveType(named: string | undefined, options: TypeOptions): Result<ResolvedType> {
  const { definitions, forking, coordinates } = options;
  if (coordinates && named !== undefined && plainName(named) !== workerType)
    return usage(
      `In coordinator mode subagent_type is "${workerType}", not ${visibleLine(named, 100)}.`,
      'Leave it out, and say in the prompt what the worker is to do and whether it may change files.',
    );
  const wanted = coordinates ? workerType : (named ?? (forking ? forkType : 'general-purpose'));
  const definition = findType(definitions, wanted);
  const name = definition?.name ?? wanted;
  const refusal = refusalOf(name, options);
  if (wanted === forkType) {
    if (!forking)
      return usage(
        'Forks are switched off here.',
        'Name another subagent_type, and put into the prompt what the agent must know.',
      );
    return refusal ?? ok({ kind: 'fork' });
  }
  if (!definition)
    return usage(`There is no agent type ${visibleLine(wanted, 100)}.`, `There are ${listNames(options)}.`);
  return refusal ?? ok({ kind: 'definition', definition });
}

/** By its name, else by what people also call it. */
export function findType(definitions: readonly AgentDefinition[], name: string): AgentDefinition | undefined {
  const called = (wanted: string | undefined) => definitions.find((definition) => definition.name === wanted);
  return called(name) ?? called(typeAliases.get(name));
}

/** What a child may start: what its own definition names, and never more than its parent could. */
export function narrowSpawnable(
  parent: readonly string[] | undefined,
  own: readonly string[] | undefined,
): readonly string[] | undefined {
  if (parent === undefined || own === undefined) return own ?? parent;
  return own.filter((name) => parent.some((other) => isSameType(other, name)));
}

function refusalOf(name: string, { rules, spawnable }: TypeOptions): Result<never> | undefined {
  const rule = rules.find((one) => denies(one, name));
  if (rule)
    return usage(
      `The agent type ${name} is denied by the rule ${formatRule(rule)} (${rule.source}).`,
      'Go on without it.',
    );
  if (spawnable === undefined || spawnable.some((other) => isSameType(other, name))) return undefined;
  return usage(
    `The agent type ${name} is not among those that this agent may start: ${spawnable.join(', ') || 'none'}.`,
  );
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

function listNames(options: TypeOptions): string {
  const names = options.definitions
    .map(({ name }) => name)
    .filter((name) => refusalOf(name, options) === undefined)
    .sort();
  const shown = [...(options.forking ? [forkType] : []), ...names];
  const more = shown.length > maxNames ? ` and ${shown.length - maxNames} more` : '';
  return shown.slice(0, maxNames).join(', ') + more;
}
