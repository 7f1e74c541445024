import { ok, type Result } from '../../lib/result.ts';
import type { Limits } from '../../loop/agent-context.ts';
import type { Account } from '../../models/budget/account.ts';
import { type Caps, capsOf } from '../../models/budget/caps.ts';
import type { Model } from '../../protocol/index.ts';
import type { AgentDefinition } from '../definition.ts';
import { thinkingFor } from '../effort.ts';
import type { AgentKernel, AgentStep } from '../kernel.ts';
import { resolveAgentModel } from '../resolve-model.ts';
import { forkTurns } from '../settings.ts';
import type { AgentSpec } from '../spec.ts';

export interface ModelNeeds {
  /** A model that pays from this account. Null is the parent's own. */
  findModel(name: string | null, parent: Model, account: Account): Result<Model>;
}

/** Which model answers for it, how much it may think and use, and from which account it pays. */
export function modelStep({ findModel }: ModelNeeds): AgentStep {
  // What was said once about models and need not be said again.
  const said = new Set<string>();
  return {
    name: 'model',
    complete(spec, agents) {
      const { parent, id, settings, definition } = spec;
      const account = parent.account.child(id, readCaps(spec));
      const model = chooseModel(spec, agents, account);
      if (!model.ok) return model;
      const { thinking, limits } = parent.context;
      const effort = spec.request.effort ?? definition?.effort;
      spec.engine = {
        ...{ account, model: model.value },
        thinking: definition ? thinkingFor(effort, model.value) : thinking,
        limits: definition
          ? limitDelegate(limits, definition, settings.maxTurns)
          : { ...limits, maxTurns: Math.min(settings.maxTurns ?? forkTurns, forkTurns) },
      };
      return ok(undefined);
    },
  };

  function chooseModel(
    { parent, request, earlier, definition }: AgentSpec,
    agents: AgentKernel,
    account: Account,
  ): Result<Model> {
    const above = parent.context.model;
    if (earlier) return findModel(earlier.state.model, above, account);
    const own = findModel(null, above, account);
    if (!own.ok || !definition) return own;
    const chosen = resolveAgentModel({
      call: request.model,
      definition,
      environment: agents.settings.model,
      parent: own.value,
      resolve: (name) => findModel(name, above, account),
      said,
    });
    if (!chosen.ok) return chosen;
    if (chosen.value.note) agents.notice(chosen.value.note);
    return ok(chosen.value.model);
  }
}

function readCaps({ settings: { maxTokens, maxBudgetUsd } }: AgentSpec): Caps {
  return capsOf({
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
  });
}

function limitDelegate(
  { maxTurns: _, ...above }: Limits,
  { maxTurns: own, autoCompactWindow }: AgentDefinition,
  most: number | undefined,
): Limits {
  const maxTurns = own ?? most;
  const compactAt = Math.min(above.compactAt ?? Infinity, autoCompactWindow ?? Infinity);
  return {
    ...above,
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(Number.isFinite(compactAt) ? { compactAt } : {}),
  };
}
