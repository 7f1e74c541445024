import type { PermissionContext } from '../permissions/context.ts';
import { matchesToolName } from '../places/names.ts';
import type { Role } from '../places/types.ts';
import type { Effort } from '../protocol/effort.ts';
import type { Hooks, SkillHooks } from '../protocol/hooks.ts';
import type { Rule } from '../protocol/permission.ts';

/** Limits and permissions of an agent while a skill runs, in addition to its usual ones. */
export interface SkillScope {
  /** For messages. */
  readonly name: string;
  /** Of the tools that change something or reach out, only these. Undefined: all. */
  readonly tools?: readonly string[];
  /** The tools that are named only with patterns, and these patterns: no other calls of them. */
  readonly only?: NonNullable<Role['only']>;
  readonly rules: readonly Rule[];
  readonly model?: string;
  readonly effort?: Effort;
  /** The hooks of its file, once it is trusted. */
  readonly hooks?: readonly SkillHooks[];
}

/** Tools that a list of allowed tools never takes away: reading, asking, and keeping a todo list. */
export const alwaysLeft = [
  ...['Read', 'Grep', 'Glob', 'Skill', 'TodoWrite', 'AskUserQuestion', 'TaskOutput', 'TaskStop'],
  ...['SyntheticOutput', 'ExitPlanMode', 'SendMessage'],
];

/**
 * The scopes in force, by agent. A skill's scope lasts from its call until the run of its agent ends or the user speaks
 * again. A later one replaces an earlier one, except for its denials and its hooks.
 */
export class SkillScopes {
  readonly #byAgent = new Map<string | null, SkillScope>();
  readonly #extended = new WeakMap<SkillScope, Hooks>();

  begin(agentId: string | null, scope: SkillScope): void {
    const earlier = this.#byAgent.get(agentId);
    const before = earlier?.rules.filter((rule) => rule.behaviour === 'deny') ?? [];
    const added = (scope.hooks ?? []).filter(({ file }) => !earlier?.hooks?.some((one) => one.file === file));
    const hooks = [...(earlier?.hooks ?? []), ...added];
    this.#byAgent.set(agentId, {
      ...scope,
      rules: [...before, ...scope.rules],
      ...(hooks.length > 0 ? { hooks } : {}),
    });
  }

  /** An agent's hooks, with those of the running skill. */
  extendHooks(agentId: string | null, own: Hooks | undefined): Hooks | undefined {
    const scope = this.#byAgent.get(agentId);
    if (!own?.extend || !scope?.hooks) return own;
    const extended = this.#extended.get(scope) ?? own.extend(scope.hooks);
    this.#extended.set(scope, extended);
    return extended;
  }

  end(agentId: string | null): void {
    this.#byAgent.delete(agentId);
  }

  of(agentId: string | null): SkillScope | undefined {
    return this.#byAgent.get(agentId);
  }
}

/** Several at once: each may need what it names, and none what another denies. */
export function joinScopes(scopes: readonly SkillScope[]): SkillScope | undefined {
  const [first] = scopes;
  if (!first) return undefined;
  const isLimited = scopes.every((scope) => scope.tools !== undefined);
  const { tools: _, only: __, ...last } = { ...first, ...scopes.at(-1) };
  return {
    ...last,
    name: scopes.map((scope) => scope.name).join(', '),
    ...(isLimited ? { tools: scopes.flatMap((scope) => scope.tools ?? []), only: joinOnly(scopes) } : {}),
    rules: scopes.flatMap((scope) => scope.rules),
    hooks: scopes.flatMap((scope) => scope.hooks ?? []),
  };
}

/** A tool that one of them has as a whole is available as a whole. */
function joinOnly(scopes: readonly SkillScope[]): NonNullable<SkillScope['only']> {
  const hasWhole = (name: string) =>
    scopes.some(({ tools, only }) => tools?.includes(name) && !only?.tools.includes(name));
  return {
    tools: scopes.flatMap(({ only }) => only?.tools ?? []).filter((name) => !hasWhole(name)),
    rules: scopes.flatMap(({ only }) => only?.rules ?? []),
  };
}

/** An agent's permissions while a skill runs. The ceiling and its role still apply: a scope overrides neither. */
export function withScope(context: PermissionContext, scope: SkillScope | undefined): PermissionContext {
  if (!scope) return context;
  const { role, rules } = context;
  return {
    ...context,
    rules: [...scope.rules, ...rules],
    role: scope.tools
      ? {
          ...role,
          tools: intersectTools(role.tools, [...scope.tools, ...alwaysLeft]),
          ...(scope.only ? { only: scope.only } : {}),
          because: `while ${scope.name} runs`,
        }
      : role,
  };
}

function intersectTools(own: '*' | readonly string[], named: readonly string[]): readonly string[] {
  if (own === '*') return named;
  const inBoth = (names: readonly string[], patterns: readonly string[]) =>
    names.filter((name) => patterns.some((pattern) => matchesToolName(pattern, name)));
  return [...new Set([...inBoth(own, named), ...inBoth(named, own)])];
}
