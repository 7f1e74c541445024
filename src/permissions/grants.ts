import type { PermissionUpdate, Rule, RuleBehaviour } from '../protocol/index.ts';

/**
 * Grants given while the session runs. A grant for one agent is for that agent only; a grant for the session is for all
 * agents, including children that start later.
 */
export class Grants {
  #session: readonly Rule[] = [];
  readonly #agents = new Map<string | null, readonly Rule[]>();
  #directories: readonly string[] = [];

  /** Rules for this agent; null is the lead. */
  listRules(agentId: string | null): readonly Rule[] {
    const own = this.#agents.get(agentId);
    return own ? [...this.#session, ...own] : this.#session;
  }

  /** Rules for all agents. */
  listSessionRules(): readonly Rule[] {
    return this.#session;
  }

  directories(): readonly string[] {
    return this.#directories;
  }

  give(scope: 'agent' | 'session', agentId: string | null, rules: readonly Rule[]): void {
    this.#change(scope, agentId, (before) => [
      ...before.filter((rule) => !rules.some((other) => isSame(rule, other))),
      ...rules,
    ]);
  }

  /** An agent's grants end with it. */
  forget(agentId: string): void {
    this.#agents.delete(agentId);
  }

  /** Changes that an answer makes at once, whether or not they are also saved. */
  apply(update: Exclude<PermissionUpdate, { type: 'set_mode' }>, agentId: string | null): void {
    const scope = update.destination === 'agent' ? 'agent' : 'session';
    switch (update.type) {
      case 'add_rules':
        this.give(scope, agentId, update.rules);
        break;
      case 'remove_rules':
        this.#change(scope, agentId, (before) =>
          before.filter((rule) => !update.rules.some((other) => isSame(rule, other))),
        );
        break;
      case 'replace_rules':
        this.#change(scope, agentId, (before) => [
          ...before.filter((rule) => rule.behaviour !== update.behaviour),
          ...update.rules,
        ]);
        break;
      case 'add_directories':
        this.#directories = [...new Set([...this.#directories, ...update.directories])];
        break;
      case 'remove_directories':
        this.#directories = this.#directories.filter((one) => !update.directories.includes(one));
        break;
    }
  }

  #change(
    scope: 'agent' | 'session',
    agentId: string | null,
    change: (before: readonly Rule[]) => readonly Rule[],
  ): void {
    if (scope === 'session') this.#session = change(this.#session);
    else this.#agents.set(agentId, change(this.#agents.get(agentId) ?? []));
  }
}

function isSame(a: RuleText, b: RuleText): boolean {
  return a.behaviour === b.behaviour && a.tool === b.tool && a.specifier === b.specifier;
}

type RuleText = { behaviour: RuleBehaviour; tool: string; specifier?: string };
