import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, sleep, systemClock } from '../../lib/clock.ts';
import type { ModelFailure, ModelRequest } from '../../protocol/index.ts';
import { answerMessage, inputTokens } from '../answers.ts';
import { type ModelScript, openScript } from '../script.ts';
import type { AnswerTurn, FailureTurn, Turn, TurnMaker } from '../turns.ts';
import { anthropicDialect } from './anthropic.ts';
import type { Dialect, WireObject } from './dialect.ts';
import { encodeStream, faultyStream, type WireStream } from './faults.ts';
import { createGoogleDialect } from './google.ts';
import { type CapturedRequest, capture, closeServer, goneSignal, listen, sendJson } from './http.ts';
import { type Limiter, type LimiterOptions, openLimiter } from './limiter.ts';
import { openaiDialect } from './openai.ts';
import { responsesDialect } from './responses.ts';
import { sendFailure, sendRaw, sendStream } from './send.ts';

const dialects: readonly Dialect[] = [anthropicDialect, openaiDialect, responsesDialect];

export interface FakeProviderOptions {
  /** Used in order of arrival, or a function that answers every request. */
  script: readonly Turn[] | TurnMaker;
  /** Before the answer, and between its events. A number means before the answer. */
  latencyMs?: number | { first?: number; between?: number };
  /** The models that GET /v1/models lists. */
  models?: string[];
  /** Refuses valid requests with 429 or 529, as a provider does; a refused one uses no step of the script. */
  limiter?: LimiterOptions;
  /** If given, requests without this key (`x-api-key` or bearer) get a 401. */
  apiKey?: string;
  /** 0, the default, takes any free port. */
  port?: number;
  clock?: Clock;
}

export interface FakeProvider extends AsyncDisposable {
  /** `http://127.0.0.1:port`, without `/v1`. */
  readonly url: string;
  readonly requests: readonly CapturedRequest[];
  /** The valid ones among them, converted to our types. */
  readonly received: readonly ModelRequest[];
  readonly complaints: readonly string[];
  /** Throws, listing steps never requested and every complaint. */
  assertConsumed(): void;
  close(): Promise<void>;
}

/** A real HTTP server on loopback that speaks the Messages and the Chat Completions API from one script. */
export async function fakeProvider(options: FakeProviderOptions): Promise<FakeProvider> {
  const requests: CapturedRequest[] = [];
  const received: ModelRequest[] = [];
  const script = openScript(options.script, 'fake provider');
  const clock = options.clock ?? systemClock;
  const limiter = options.limiter && openLimiter(options.limiter, clock);
  const desk: Desk = { options, script, requests, received, clock, limiter };
  const server = createServer((request, response) => {
    receive(desk, request, response).catch((error: unknown) => {
      script.complain(`fake provider: ${error instanceof Error ? error.message : String(error)}`);
      response.destroy();
    });
  });
  await listen(server, options.port ?? 0);
  const close = () => closeServer(server);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    received,
    complaints: script.complaints,
    assertConsumed: () => script.assertConsumed(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface Desk {
  options: FakeProviderOptions;
  script: ModelScript;
  requests: CapturedRequest[];
  received: ModelRequest[];
  clock: Clock;
  limiter: Limiter | undefined;
}

async function receive(desk: Desk, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const captured = await capture(request, desk.clock);
  const path = captured.path.split('?')[0];
  if (captured.method === 'GET' && path === '/v1/models')
    return sendJson(response, 200, listing(desk.options));
  desk.requests.push(captured);
  const dialect = dialects.find((candidate) => candidate.path === path) ?? createGoogleDialect(captured);
  if (!dialect || captured.method !== 'POST') {
    const message = `${captured.method} ${path} is not served here; use POST /v1/messages or /v1/chat/completions`;
    desk.script.complain(`fake provider: ${message}`);
    return sendJson(response, 404, { type: 'error', error: { type: 'not_found_error', message } });
  }
  await answer(desk, dialect, captured, response);
  captured.endedAt = desk.clock.monotonic();
}

async function answer(desk: Desk, dialect: Dialect, captured: CapturedRequest, response: ServerResponse) {
  const body = captured.json;
  if (!isAuthorised(captured, desk.options.apiKey)) {
    return sendFailure(dialect, response, {
      failure: { kind: 'authentication', message: 'invalid x-api-key' },
    });
  }
  const wrong = body ? dialect.violations(body) : ['the body is not a JSON object'];
  if (!body || wrong.length > 0) return sendFailure(dialect, response, refuseRequest(desk, wrong));
  const request = dialect.parse(body);
  const refused = refusedByLimit(desk, dialect, request, response);
  if (refused) return sendFailure(dialect, response, { failure: refused });
  desk.received.push(request);
  const step = desk.script.taken + 1;
  const turn = await desk.script.take(request);
  const gone = goneSignal(response);
  const { first, between } = latency(desk.options);
  if (first > 0) await sleep(desk.clock, first, gone);
  if (gone.aborted) return;
  if ('failure' in turn) return sendFailure(dialect, response, turn);
  if ('raw' in turn) return sendRaw(response, turn);
  const message = answerMessage(turn, request, String(body.model), step);
  if (body.stream !== true || turn.fault?.kind === 'not_streamed')
    return sendJson(response, 200, dialect.whole({ message, body }));
  const stream = createStream(dialect, turn, dialect.frames({ message, body }, !turn.hang));
  await sendStream(response, stream, { clock: desk.clock, betweenMs: between, gone, ends: !turn.hang });
}

/** Every answer reports the limits, even a successful one. */
function refusedByLimit(
  { limiter, clock }: Desk,
  dialect: Dialect,
  request: ModelRequest,
  response: ServerResponse,
): ModelFailure | undefined {
  const admission = limiter?.admit(inputTokens(request));
  if (!admission) return undefined;
  const headers = dialect.limitHeaders?.(admission, clock.now()) ?? {};
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  return admission.failure;
}

function createStream(dialect: Dialect, { fault }: AnswerTurn, frames: Iterable<string>): WireStream {
  if (!fault) return encodeStream(frames);
  return faultyStream(frames, fault, (message, status) => {
    const failure: ModelFailure = { kind: 'server', message };
    return dialect.streamError?.(failure, status) ?? dialect.error(failure, status);
  });
}

function refuseRequest(desk: Desk, wrong: string[]): FailureTurn {
  const message = wrong.join('; ');
  desk.script.complain(`fake provider: invalid request: ${message}`);
  return { failure: { kind: 'invalid_request', message } };
}

function isAuthorised({ headers }: CapturedRequest, key: string | undefined): boolean {
  const given = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization;
  return key === undefined || given === key || given === `Bearer ${key}`;
}

function latency({ latencyMs = 0 }: FakeProviderOptions): { first: number; between: number } {
  if (typeof latencyMs === 'number') return { first: latencyMs, between: 0 };
  return { first: latencyMs.first ?? 0, between: latencyMs.between ?? 0 };
}

/** One list that readers of either API understand. */
function listing({ models = ['fake-model'] }: FakeProviderOptions): WireObject {
  const data = models.map((id) => ({
    id,
    object: 'model',
    created: 0,
    owned_by: 'fake',
    type: 'model',
    display_name: id,
    created_at: '2026-01-01T00:00:00Z',
  }));
  return {
    object: 'list',
    data,
    has_more: false,
    first_id: models[0] ?? null,
    last_id: models.at(-1) ?? null,
  };
}
