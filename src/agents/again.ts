import { type Result, usage } from '../lib/result.ts';
import { accountFor, type Child, type Order } from './child.ts';
import { assembleDelegate } from './delegate.ts';
import { assembleFork } from './fork.ts';
import type { LiveAgent } from './roster.ts';
import type { AgentServices, LoadedAgent } from './services.ts';
/** The same agent again, from its transcript: same id, type, model, tools and directory. */
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
