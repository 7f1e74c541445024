import type { Message, ModelRequest } from '../../protocol/index.ts';

/** A model's count for the beginning of a conversation. */
interface Prefix {
  model: string;
  asker: string;
  system: readonly string[];
  tools: ModelRequest['tools'];
  messages: readonly Message[];
  tokens: number;
}

/**
 * By the first message, so that forks of one conversation find their parent's counts, and nothing is kept of a
 * conversation that is gone.
 */
const prefixes = new WeakMap<Message, Prefix[]>();

/** More forks than this are rare, and only their first request would be more expensive. */
const maxPerConversation = 32;

/** Records the provider's count for a whole request. */
export function rememberPrefix(model: string, request: ModelRequest, tokens: number): void {
  const first = request.messages[0];
  if (!first || tokens <= 0) return;
  const { system, tools } = request;
  const asker = formatAsker(request);
  const kept = (prefixes.get(first) ?? []).filter((one) => one.model !== model || one.asker !== asker);
  const prefix = { model, asker, system, tools, messages: [...request.messages], tokens };
  prefixes.set(first, [...kept.slice(1 - maxPerConversation), prefix]);
}

/** The longest beginning of the request that this model has counted before, with identical messages. */
export function knownPrefix(
  model: string,
  request: ModelRequest,
): { messages: number; tokens: number } | undefined {
  const first = request.messages[0];
  const candidates = (first && prefixes.get(first)) ?? [];
  const same = candidates.filter((one) => one.model === model && isBeginning(one, request));
  const best = same.reduce<Prefix | undefined>(
    (longest, one) => (longest && longest.messages.length >= one.messages.length ? longest : one),
    undefined,
  );
  return best && { messages: best.messages.length, tokens: best.tokens };
}

function isBeginning(prefix: Prefix, request: ModelRequest): boolean {
  return (
    prefix.messages.length <= request.messages.length &&
    sameItems(prefix.system, request.system) &&
    sameItems(prefix.tools, request.tools) &&
    // From the end: changes are nearly always there.
    prefix.messages.findLastIndex((message, index) => message !== request.messages[index]) === -1
  );
}

function sameItems<T>(before: readonly T[], now: readonly T[]): boolean {
  return (
    before === now || (before.length === now.length && before.every((item, index) => item === now[index]))
  );
}

function formatAsker({ asker }: ModelRequest): string {
  return asker ? `${asker.sessionId}/${asker.agentId ?? ''}` : '';
}
