import type { Clock } from '../lib/clock.ts';
import { formatError, getErrorCode } from '../lib/result.ts';
import { endSentence } from '../lib/text/text.ts';
import type { ModelFailure, ModelFailureKind } from '../protocol/index.ts';
import { keyVariable, urlVariable } from './endpoints.ts';
import type { ProviderName } from './facts.ts';
import { isUnsent, listCauses, networkTrouble } from './network-trouble.ts';
import { cleanText, type ProviderError, providerError } from './providers/error.ts';

export interface FailureContext {
  provider: ProviderName;
  id: string;
  baseUrl: string;
  /** Never shown, whatever their source. */
  secrets: readonly string[];
  clock: Clock;
  /** The host of the proxy, if requests go through one. */
  proxy?: string | undefined;
}

/** The answer itself is invalid. */
export class IncompleteAnswer extends Error {}

/** The answer stopped before its end. The connection may be at fault, so it counts as a network failure. */
export class BrokenOff extends IncompleteAnswer {
  constructor() {
    super('the answer was cut off before its end');
  }
}

/** Any failure of a request, as a value. Says who, what and what to do next; never shows a key. */
export function describeFailure(error: unknown, context: FailureContext, signal: AbortSignal): ModelFailure {
  if (signal.aborted) return { kind: 'aborted', message: 'The request was aborted.' };
  const said = providerError(error, context.clock);
  if (said.status !== undefined && (said.status < 200 || said.status > 299)) return refusal(said, context);
  const trouble = error instanceof BrokenOff ? error.message : networkTrouble(error);
  if (trouble) {
    const { proxy } = context;
    const through = proxy === undefined ? '' : ` through the proxy ${proxy}`;
    const check = proxy === undefined ? 'a proxy' : 'HTTP_PROXY or HTTPS_PROXY';
    const message = `The connection to ${formatHost(context)}${through} failed: ${hide(trouble, context)}. Check the network, ${check}, and ${urlVariable(context.provider)}.`;
    return { kind: 'network', message, unsent: isUnsent(error) || undefined };
  }
  // Some servers send their error in a stream as a bare object.
  if (said.kind || (said.message && !(error instanceof Error))) return refusal(said, context);
  const message = `${formatHost(context)} sent an invalid answer: ${hide(formatReason(error), context)}`;
  return { kind: 'malformed', message };
}

/** A request that got no answer, as opposed to one whose answer broke: a wait that nobody ended may have been charged. */
export function markUnanswered(failure: ModelFailure, isSilent: boolean): ModelFailure {
  const isUnanswered = !isSilent && (failure.kind === 'network' || failure.kind === 'malformed');
  return isUnanswered ? { ...failure, unanswered: true } : failure;
}

/** Our own reason if there is one, else the library's account of a bad answer without the list of all its errors. */
function formatReason(error: unknown): string {
  const causes = listCauses(error);
  if (causes.some((cause) => unreadable.test(getErrorCode(cause) ?? cause.name)))
    return 'its compressed content cannot be decompressed.';
  if (causes.some((cause) => getErrorCode(cause) === 'ResponseHeadersTooLarge'))
    return 'its headers are too large.';
  const own = causes.find((cause) => cause instanceof IncompleteAnswer);
  const said = formatError(own ?? error).split(/\.?\s*Error message:/)[0] ?? '';
  return cleanText(said.replace(/^Type validation failed: Value:/, 'it is not what was agreed:')).slice(
    0,
    200,
  );
}

/** The runtimes' names for compressed content that is broken. */
const unreadable = /^(ZlibError|Z_\w+_ERROR|BrotliDecompressionError|ZstdDecompressionError|ShortRead)$/;

/** The provider answered with an error, by status or in the stream. */
function refusal(said: ProviderError, context: FailureContext): ModelFailure {
  const kind = classifyError(said);
  return {
    kind,
    message: explain(kind, said.status, hide(said.message, context), context),
    status: said.status,
    retryAfterMs: said.retryAfterMs,
  };
}

function classifyError(said: ProviderError): ModelFailureKind {
  const { status, kind, code, message } = said;
  const names = `${kind ?? ''} ${code ?? ''}`;
  if (isUsedUp(said, names)) return resetsLater(said) ? 'rate_limited' : 'billing';
  if (disabled.test(message)) return 'authentication';
  if (/context_length|request_too_large/.test(names) || status === 413 || overflow.test(message))
    return 'context_overflow';
  if (/authentication|permission|invalid_api_key/.test(names) || status === 401 || status === 403)
    return 'authentication';
  if (/not_found/.test(names) || status === 404) return 'model_not_found';
  if (/overloaded/.test(names) || status === 529 || status === 503) return 'overloaded';
  if (/rate_limit/.test(names) || status === 429) return 'rate_limited';
  // An error within a stream has no status. The request itself was accepted, whatever the error is called.
  if (status === undefined)
    return /invalid|bad_request|unsupported/.test(names) ? 'invalid_request' : 'server';
  return status >= 500 || status === 408 || status === 409 ? 'server' : 'invalid_request';
}

/** Nothing more is granted: a plan, a credit, a spend limit. */
function isUsedUp({ status, message }: ProviderError, names: string): boolean {
  return /billing|insufficient_quota|usage_limit/.test(names) || status === 402 || usedUp.test(message);
}

const usedUp = /credit balance|reached your specified .*usage limits/i;
const disabled = /(organization|account) (has been|is) (disabled|deactivated|restricted|suspended)/i;

/** A shorter time is for the rate of requests: waiting for it would not bring credit. */
const minResetMs = 60_000;

function resetsLater({ retryAfterMs = 0 }: ProviderError): boolean {
  return retryAfterMs >= minResetMs;
}

const overflow =
  /prompt is too long|input is too long|maximum context length|context (limit|window|size)|exceeds? the (available )?context/i;

function explain(
  kind: ModelFailureKind,
  status: number | undefined,
  said: string,
  context: FailureContext,
): string {
  const host = formatHost(context);
  const unsaid = status === undefined ? '.' : ` (HTTP ${status}).`;
  const quoted = said ? `: ${endSentence(said)}` : unsaid;
  switch (kind) {
    case 'authentication':
      return `${host} rejected the key${quoted} Check ${keyVariable(context.provider)}, or store another: cadre key set ${context.provider}`;
    case 'billing':
      return `${host} requires payment${quoted} Check the plan and the credit of your account.`;
    case 'model_not_found':
      return `${host} does not have the model '${context.id}'${quoted} Check --model and ${urlVariable(context.provider)}.`;
    case 'context_overflow':
      return `The conversation is too long for ${context.id}${quoted}`;
    case 'rate_limited':
      return `${host} rate-limited the request${quoted}`;
    case 'overloaded':
      return `${host} is overloaded${quoted}`;
    case 'server':
      return `${host} failed${quoted}`;
    default:
      return `${host} rejected the request${quoted}`;
  }
}

function formatHost({ baseUrl }: FailureContext): string {
  const { hostname, port, protocol } = new URL(baseUrl);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/** Providers quote keys back, whole or in part. */
function hide(text: string, { secrets }: FailureContext): string {
  const hidden = secrets
    .filter((secret) => secret.length >= 6)
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
  return hidden.replace(/\b(sk|key|pk)-[\w*.-]{6,}/g, '***');
}
