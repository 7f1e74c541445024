import { ok } from '../lib/result.ts';
import type { Model } from '../protocol/index.ts';
import { findFacts } from './facts.ts';
import { type ModelConfig, settleModel } from './resolve.ts';
import type { WebSearch } from './search.ts';
import { openTransport } from './transport.ts';

/**
 * The search of this model's provider; undefined if it has none that we can use. Nothing is loaded before the first
 * search. `wrap` is what the session puts around its models.
 */
export function openSearch(
  name: string | undefined,
  config: ModelConfig,
  wrap?: (model: Model) => Model,
): WebSearch | undefined {
  const settled = settleModel(name, config);
  if (!settled.ok || settled.value.provider !== 'anthropic') return undefined;
  const transport = config.fetch ? ok(config.fetch) : openTransport(config.env);
  if (!transport.ok) return undefined;
  const { endpoint, id } = settled.value;
  const facts = findFacts('anthropic', id);
  const parts = { endpoint, id, facts, fetch: transport.value, clock: config.clock };
  return {
    url: endpoint.baseUrl,
    async find(query, signal) {
      const { anthropicSearch } = await import('./anthropic/search.ts');
      return await anthropicSearch(parts, wrap).find(query, signal);
    },
  };
}
