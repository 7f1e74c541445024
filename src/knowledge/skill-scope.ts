import type { PermissionContext } from '../permissions/context.ts';
import type { Effort } from '../protocol/effort.ts';
import type { Hooks, SkillHooks } from '../protocol/hooks.ts';
import type { Rule } from '../protocol/permission.ts';

/** Permissions and denials of an agent while a skill runs, in addition to its usual ones. */
export interface SkillScope {
  readonly rules: readonly Rule[];
  readonly model?: string;
  readonly effort?: Effort;
  /** The hooks of its file, once it is trusted. */
  readonly hooks?: readonly SkillHooks[];
}

/**
 * The scopes in force, by agent. A skill's scope lasts from its call until the run of its agent ends or the user speaks
 * again. A later one adds to an earlier one, which still runs: it takes nothing away but what it denies.
 */
export class SkillScopes {
  readonly #byAgent = new Map<string | null, SkillScope>();
  readonly #extended = new WeakMap<SkillScope, Hooks>();

  begin(agentId: string | null, scope: SkillScope): void {
    const earlier = this.#byAgent.get(agentId);
    const added = (scope.hooks ?? []).filter(({ file }) => !earlier?.hooks?.some((one) => one.file === file));
    const hooks = [...(earlier?.hooks ?? []), ...added];
    this.#byAgent.set(agentId, {
      ...earlier,
      ...scope,
      rules: dropRepeats([...(earlier?.rules ?? []), ...scope.rules]),
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

/** A skill may be loaded many times in one run. */
function dropRepeats(rules: readonly Rule[]): Rule[] {
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}

/** Several at once: each brings what it grants, and none what another denies. */
export function joinScopes(scopes: readonly SkillScope[]): SkillScope | undefined {
  const [first] = scopes;
  if (!first) return undefined;
  return {
    ...first,
    ...scopes.at(-1),
    rules: scopes.flatMap((scope) => scope.rules),
    hooks: scopes.flatMap((scope) => scope.hooks ?? []),
  };
}

/** An agent's permissions while a skill runs. The ceiling and its role still apply: a scope overrides neither. */
export function withScope(context: PermissionContext, scope: SkillScope | undefined): PermissionContext {
  return scope ? { ...context, rules: [...scope.rules, ...context.rules] } : context;
}
