import { manualClock } from '../../src/lib/clock.ts';
import { countedIds } from '../../src/lib/ids.ts';
import { type Account, openAccount } from '../../src/models/budget/account.ts';
import { type Ledger, memoryLedger } from '../../src/models/budget/ledger.ts';
import type { Caps } from '../../src/models/budget/records.ts';
import { withBudget } from '../../src/models/budget/with-budget.ts';
import type { PriceOverrides } from '../../src/models/prices.ts';
import type {
  AssistantMessage,
  Message,
  Model,
  ModelEvent,
  ModelRequest,
  Usage,
} from '../../src/protocol/index.ts';
import { noUsage } from '../../src/protocol/index.ts';

/** One micro-dollar a token, whatever the class: money and tokens are the same numbers. */
export const plainPrice: PriceOverrides = { 'test/': { input: 1, output: 1 } };

export const here = { pid: process.pid, start: 'here' };

export function accountWith(caps: Caps, ledger: Ledger = memoryLedger(), clock = manualClock()): Account {
  const opened = openAccount({ ledger, caps, clock, ids: countedIds(), owner: here, overrides: plainPrice });
  if (!opened.ok) throw new Error(opened.problem.message);
  return opened.value;
}

/** A request that counts for exactly 2,000 tokens of input. */
export function requestOf(maxOutputTokens: number, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: [],
    tools: [],
    messages: [user('x'.repeat(912))],
    maxOutputTokens,
    thinking: { type: 'off' },
    ...more,
  };
}

export function user(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** A model whose answers are given by hand. */
export interface HeldModel extends Model {
  /** Requests that were sent, in order. */
  readonly sent: Held[];
}

export interface Held {
  request: ModelRequest;
  push(...events: ModelEvent[]): void;
  /** Ends with so much output, after the 2,000 tokens of input. */
  end(output: number): void;
}

export function heldModel(id = 'test/model'): HeldModel {
  const sent: Held[] = [];
  return {
    id,
    facts: { window: 1_000_000, maxOutput: 64_000, images: true, thinking: [], known: false },
    sent,
    async *stream(request, signal) {
      const events: ModelEvent[] = [];
      let wake = () => {};
      const push = (...more: ModelEvent[]) => {
        events.push(...more);
        wake();
      };
      sent.push({
        request,
        push,
        end: (output) => push(ended({ input_tokens: 2_000, output_tokens: output })),
      });
      signal.addEventListener('abort', () => push(failed('aborted')), { once: true });
      for (;;) {
        const event = events.shift();
        if (!event) await new Promise<void>((resolve) => (wake = resolve));
        else yield event;
        if (event?.type === 'response_ended' || event?.type === 'response_failed') return;
      }
    },
  };
}

export function ended(usage: Partial<Usage>): ModelEvent {
  const message: AssistantMessage = {
    role: 'assistant',
    id: 'a',
    model: 'model',
    content: [{ type: 'text', text: 'done' }],
    stop_reason: 'end_turn',
    usage: { ...noUsage, ...usage },
  };
  return { type: 'response_ended', message };
}

export function failed(
  kind: Extract<ModelEvent, { type: 'response_failed' }>['failure']['kind'],
  more: { status?: number; unsent?: true; unanswered?: true; usage?: Partial<Usage> } = {},
): ModelEvent {
  const { usage, ...rest } = more;
  return {
    type: 'response_failed',
    failure: { kind, message: kind, ...rest },
    ...(usage ? { usage: { ...noUsage, ...usage } } : {}),
  };
}

export interface Asked {
  events: ModelEvent[];
  done: Promise<void>;
  abort(): void;
}

/** Begins a request and collects what comes of it. */
export function ask(
  model: Model,
  account: Account,
  request: ModelRequest,
  options: Parameters<typeof withBudget>[2] = { overrides: plainPrice },
): Asked {
  const controller = new AbortController();
  const events: ModelEvent[] = [];
  const done = (async () => {
    for await (const event of withBudget(model, account, options).stream(request, controller.signal))
      events.push(event);
  })();
  return { events, done, abort: () => controller.abort() };
}

/** Lets everything that is ready go on. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve));
}

export function background(agentId: string | null = null): Pick<ModelRequest, 'asker'> {
  return { asker: { sessionId: 's', agentId, priority: 'background' } };
}
