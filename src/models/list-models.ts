import { sleep } from '../lib/clock.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import type { Model } from '../protocol/index.ts';
import type { Endpoint } from './endpoints.ts';
import { findEndpoints, type ModelConfig, needsModelName, resolveModel } from './resolve.ts';
import { type Fetch, openTransport } from './transport.ts';

/** Like `resolveModel`, and where a name is missing it asks the endpoint which models it has, briefly. */
export async function resolveOrSuggest(
  name: string | undefined,
  config: ModelConfig,
): Promise<Result<Model>> {
  const resolved = resolveModel(name, config);
  const endpoints = findEndpoints(config);
  if (resolved.ok || !endpoints.ok || !endpoints.value.openai) return resolved;
  if (!needsModelName(name, config, endpoints.value)) return resolved;
  const ids = await listModels(endpoints.value.openai, config);
  if (ids.length === 0) return resolved;
  const shown = ids.slice(0, shownIds).map((id) => `openai/${id}`);
  const more = ids.length > shownIds ? `\n… and ${ids.length - shownIds} more` : '';
  return fail({ ...resolved.problem, hint: `Name one with --model; it has:\n${shown.join('\n')}${more}` });
}

const patienceMs = 1_000;
const shownIds = 20;

/** The ids that `GET /v1/models` lists; none when there is no good answer in time. */
async function listModels(endpoint: Endpoint, config: ModelConfig): Promise<string[]> {
  const transport = config.fetch ? ok(config.fetch) : openTransport(config.env);
  if (!transport.ok) return [];
  const controller = new AbortController();
  const answer = requestList(transport.value, endpoint, controller.signal).catch(() => []);
  const ids = await Promise.race([answer, sleep(config.clock, patienceMs, controller.signal).then(() => [])]);
  controller.abort();
  return ids;
}

async function requestList(fetch: Fetch, endpoint: Endpoint, signal: AbortSignal): Promise<string[]> {
  const headers: Record<string, string> = endpoint.key ? { authorization: `Bearer ${endpoint.key}` } : {};
  const response = await fetch(`${endpoint.baseUrl}/models`, { headers, signal });
  const body = (await response.json()) as { data?: { id?: unknown }[] } | null;
  return (body?.data ?? []).flatMap(({ id }) =>
    typeof id === 'string' && /^[\x20-\x7e]{1,200}$/.test(id) ? [id] : [],
  );
}
