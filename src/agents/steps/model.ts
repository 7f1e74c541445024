import { fail, ok, type Result } from '../../lib/result.ts';
import type { Limits } from '../../loop/agent-context.ts';
import { usualAnswer } from '../../loop/context-room.ts';
import type { Account } from '../../models/budget/account.ts';
import { convertCaps } from '../../models/budget/caps.ts';
import { applyEffort } from '../../models/effort.ts';
import type { Model } from '../../protocol/index.ts';
import type { AgentSettings } from '../../settings/loaded.ts';
import type { AgentDefinition } from '../definition.ts';
import type { AgentKernel, AgentStep } from '../kernel.ts';
import type { AgentSpec } from '../spec.ts';

/** Turns that a fork may take unless a lower limit is set. */
const forkTurns = 200;

export interface ModelNeeds {
  /** A model that pays from this account. Null is the parent's own. */
  findModel(name: string | null, parent: Model, account: Account): Result<Model>;
  /** The user wants none, of any agent. */
  noThinking?: boolean;
}

/** Its model, how much it may think and use, and the account that pays. */
export function modelStep({ findModel, noThinking }: ModelNeeds): AgentStep {
  // Notices about models that were already given.
  const said = new Set<string>();
  return {
    name: 'model',
    complete(spec, agents) {
      const { parent, id, settings, definition } = spec;
      const account = parent.account.child(id, convertCaps(settings));
      const model = chooseModel(spec, agents, account);
      if (!model.ok) return model;
      const limits = limitAnswers(parent.context.limits, settings);
      const sent = spec.earlier?.state.sent ?? parent.context;
      const wanted = spec.request.effort ?? spec.earlier?.state.effort ?? definition?.effort;
      spec.engine = {
        account,
        model: model.value,
        ...(definition ? applyEffort(wanted, model.value) : { thinking: sent.thinking, effort: sent.effort }),
        ...(definition && noThinking ? { thinking: { type: 'off' } } : {}),
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

/** A limit of its own reserves the longest answer that it may get. */
function limitAnswers(limits: Limits, { maxTokens, maxBudgetUsd }: AgentSettings): Limits {
  if (maxTokens === undefined && maxBudgetUsd === undefined) return limits;
  return { ...limits, maxOutputTokens: Math.min(limits.maxOutputTokens, usualAnswer) };
}

function limitDelegate(
  { maxTurns: _, ...above }: Limits,
  { maxTurns: own, autoCompactWindow }: AgentDefinition,
  most: number | undefined,
): Limits {
  const compactAt = Math.min(above.compactAt ?? Infinity, autoCompactWindow ?? Infinity);
  return {
    ...above,
    maxTurns: own ?? most,
    compactAt: Number.isFinite(compactAt) ? compactAt : undefined,
  };
}

export interface ModelWishes<Model> {
  /** The call's own parameter. */
  call?: string | undefined;
  definition: Pick<AgentDefinition, 'name' | 'model'>;
  /** The value of `CADRE_SUBAGENT_MODEL` or `CLAUDE_CODE_SUBAGENT_MODEL`. */
  environment?: string | undefined;
  parent: Model;
  resolve(name: string): Result<Model>;
  /** Notices already given in this session; the session's own set, and added to here. */
  said: Set<string>;
}

export interface ChosenModel<Model> {
  model: Model;
  from: 'call' | 'definition' | 'environment' | 'parent';
  /** For the user, once. */
  note?: string;
}

const aliases: ReadonlySet<string> = new Set(['haiku', 'sonnet', 'opus', 'fable']);

/**
 * A word that another product gives a model, such as `fast`. Not the id of one: asking for that and not getting it is a
 * failure.
 */
function isForeignAlias(name: string): boolean {
  return !name.includes('/') && !/^(?:claude-|gemini-|gpt-|chatgpt-|o\d)/i.test(name);
}

/**
 * The model of one agent: the first of call, definition, environment, parent that names one. An alias that means
 * nothing to the configured provider is not a failure: the parent's model is used. A full name that cannot be resolved
 * is.
 */
export function resolveAgentModel<Model>(wishes: ModelWishes<Model>): Result<ChosenModel<Model>> {
  const { call, definition, environment, parent, resolve, said } = wishes;
  const wished = [
    { name: call, from: 'call' as const },
    { name: definition.model, from: 'definition' as const },
    { name: environment === 'inherit' ? undefined : environment, from: 'environment' as const },
  ].find(({ name }) => name !== undefined && name !== '');
  if (wished?.name === undefined || wished.name === 'inherit') return ok({ model: parent, from: 'parent' });
  const { name, from } = wished;
  const found = resolve(name);
  if (found.ok) return ok({ model: found.value, from });
  if (!aliases.has(name) && !(from === 'definition' && isForeignAlias(name)))
    return fail({
      ...found.problem,
      message: `${origin(wished.from, definition.name)}: ${found.problem.message}`,
    });
  const isNew = !said.has(name);
  said.add(name);
  const note = `The model alias ${name} is not mapped to a model; agents that ask for it use their parent's model. Map it with modelAliases in settings.`;
  return ok({ model: parent, from: 'parent', ...(isNew ? { note } : {}) });
}

function origin(from: 'call' | 'definition' | 'environment', name: string): string {
  if (from === 'call') return 'model';
  return from === 'definition' ? `The definition of ${name}, model` : 'CADRE_SUBAGENT_MODEL';
}
