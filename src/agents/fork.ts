import { ok, type Result, usage } from '../lib/result.ts';
import type { Account } from '../models/budget/account.ts';
import type { AgentRecord, MessageRecord, Model, UserBlock } from '../protocol/index.ts';
import { accountFor, type Child, childBase, type Order, stateOf, withoutTurns } from './child.ts';
import { childContext } from './child-context.ts';
import { childHooks } from './child-hooks.ts';
import { childPermissions } from './child-permissions.ts';
import { forkMessages } from './fork-messages.ts';
import { isolated, placeOf } from './isolation.ts';
import type { LiveAgent } from './roster.ts';
import type { AgentServices } from './services.ts';
import { forkTurns } from './settings.ts';
import { placeNote } from './worktrees.ts';
/** A child with the parent's whole conversation, for the price of a cache hit. */
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

export function assembleFork(
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
