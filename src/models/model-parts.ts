import type { Clock } from '../lib/clock.ts';
import { hashBytes } from '../lib/hash.ts';
import type { Model } from '../protocol/index.ts';
import type { Endpoint } from './endpoints.ts';
import type { KnownModel } from './facts.ts';
import type { FailureContext } from './failures.ts';
import type { Fetch } from './transport.ts';

/** The parts that every provider's adapter is made of. */
export interface ModelParts {
  endpoint: Endpoint;
  id: string;
  facts: KnownModel;
  fetch: Fetch;
  clock: Clock;
  /** Set if its requests go through one. */
  proxy?: string | undefined;
}

/** The common parts of all adapters: the model's identity, and how its failures are reported. */
export function buildModelParts({ endpoint, id, facts, clock, proxy }: ModelParts): {
  identity: Pick<Model, 'id' | 'facts' | 'limitGroup'>;
  context: FailureContext;
} {
  const { thinksBetweenTools: _, ...publicFacts } = facts;
  const secrets = [endpoint.key, endpoint.token].filter((secret) => secret !== undefined);
  return {
    identity: { id: `${endpoint.provider}/${id}`, facts: publicFacts, limitGroup: findLimitGroup(endpoint) },
    context: { provider: endpoint.provider, id, baseUrl: endpoint.baseUrl, secrets, clock, proxy },
  };
}

/** Providers count requests by account, and each server counts its own. */
function findLimitGroup({ baseUrl, key, token }: Endpoint): string {
  return hashBytes(`${baseUrl}\n${key ?? token ?? ''}`).slice(0, 16);
}
