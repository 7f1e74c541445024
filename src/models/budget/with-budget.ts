import { type Model, type ModelEvent, type ModelRequest, promptTokens } from '../../protocol/index.ts';
import { lookUpPrice, type Price, type PriceOverrides } from '../prices.ts';
import type { Account } from './account.ts';
import { Bill } from './bill.ts';
import { countInput } from './count-input.ts';
import { rememberPrefix } from './prefixes.ts';
import type { Reservation, SettleEnd, TreasuryAnswer } from './treasury.ts';
import { outputFloor, type Want } from './want.ts';

export interface BudgetOptions {
  overrides?: PriceOverrides;
  /** Replaces the table and the overrides. */
  price?: Price;
  /** `provider/id` of models that may answer instead: the most expensive one is reserved for. */
  fallbacks?: readonly string[];
}

/**
 * The same model, within a budget: before a request is sent its worst case is reserved, and what it did not use is
 * given back at its end. All attempts of a request together never hold more than one reservation. If less is left, less output is requested; if nothing is left, the request fails as
 * `out_of_budget` and nothing is sent.
 */
export function withBudget(model: Model, account: Account, options: BudgetOptions = {}): Model {
  const { overrides, fallbacks = [] } = options;
  const known = new Map<string, Price | undefined>(options.price ? [[model.id, options.price]] : []);
  const findPrice = (id: string) => {
    if (!known.has(id)) known.set(id, lookUpPrice(id, overrides));
    return known.get(id);
  };
  const prices = [model.id, ...fallbacks].map(findPrice);
  return {
    id: model.id,
    facts: model.facts,
    async *stream(request, signal) {
      // The caller's list of messages may grow while the answer comes.
      const asked = { ...request, messages: [...request.messages] };
      const want = estimateWant(model, asked, prices, fallbacks.length > 0);
      let reservation = yield* reserve(account, want, request, signal);
      if (!reservation) return;
      const { maxOutput } = reservation;
      const bill = new Bill(model.id, findPrice);
      // Whether an attempt was lost whose cost is unknown. All such attempts together hold one reservation.
      let isUncertain = false;
      let isGivenBack = false;
      try {
        for await (const event of model.stream({ ...request, maxOutputTokens: maxOutput }, signal)) {
          bill.note(event);
          if (event.type === 'request_waited') {
            // For hours nothing is sent: what is reserved may be used by others, or would be lost with this process.
            if (event.suspended && !isUncertain) {
              reservation.settle({ how: 'unsent' });
              isGivenBack = true;
            }
            yield event;
            if (!event.isOver || !isGivenBack) continue;
            isGivenBack = false;
            reservation = yield* reserve(account, fixOutput(want, maxOutput), request, signal);
            if (!reservation) return;
            continue;
          }
          if (event.type !== 'request_retried') {
            const end = findEnd(event, bill, maxOutput);
            if (end) reservation.settle(isUncertain ? holdRest(end) : end);
            if (event.type === 'response_ended' && !bill.isFallback)
              rememberPrefix(model.id, asked, promptTokens(event.message.usage));
            yield event;
            continue;
          }
          const lost = bill.ofFailure(event.failure, event.usage, maxOutput);
          bill.forget();
          isUncertain ||= lost.how === 'reserved' || (lost.how === 'reported' && lost.holdsRest === true);
          if (lost.how !== 'reported') {
            yield event;
            continue;
          }
          // The counted part of the lost attempt is paid for; the next one needs its own reservation before it is sent.
          reservation.settle({ ...lost, holdsRest: false });
          yield event;
          reservation = yield* reserve(account, fixOutput(want, maxOutput), request, signal);
          if (!reservation) return;
        }
      } finally {
        // The caller left before its end, or it had none: what it cost is unknown.
        reservation?.settle({ how: 'reserved' });
      }
    },
  };
}

function estimateWant(
  model: Model,
  request: ModelRequest,
  prices: readonly (Price | undefined)[],
  hasFallbacks: boolean,
): Want {
  const counted = countInput(model.id, request) + (request.addedTokens ?? 0);
  const known = prices.filter((price) => price !== undefined);
  return {
    model: model.id,
    // A longer prompt is refused, which costs nothing.
    inputTokens: model.facts.known && !hasFallbacks ? Math.min(counted, model.facts.window) : counted,
    maxOutput: request.maxOutputTokens,
    leastOutput: Math.min(outputFloor, request.maxOutputTokens),
    prices: known.length === prices.length ? known : undefined,
  };
}

/** Another attempt at the same request asks for the same answer. */
function fixOutput(want: Want, maxOutput: number): Want {
  return { ...want, maxOutput, leastOutput: maxOutput };
}

async function* reserve(
  account: Account,
  want: Want,
  { asker }: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, Reservation | undefined> {
  const application = account.reserve(want, asker?.priority ?? 'foreground', signal);
  let answer: TreasuryAnswer | undefined;
  try {
    if (application.waits !== undefined)
      yield { type: 'request_waited', reason: application.waits, delayMs: 0 };
    answer = await application.answer;
  } finally {
    // A caller that left while waiting must not keep a later grant.
    if (!answer) void application.answer.then(giveBack);
  }
  if (answer.kind === 'granted') {
    if (application.waits !== undefined) yield* sayOver(answer);
    return answer.reservation;
  }
  const message =
    answer.kind === 'out' ? answer.message : 'The request was aborted while waiting for the budget.';
  yield {
    type: 'response_failed',
    failure: { kind: answer.kind === 'out' ? 'out_of_budget' : 'aborted', message },
  };
  return undefined;
}

/** From here on silence is the model's own. */
function* sayOver(granted: TreasuryAnswer): Generator<ModelEvent, void> {
  let isHeard = false;
  try {
    yield { type: 'request_waited', reason: 'The request is sent.', delayMs: 0, isOver: true };
    isHeard = true;
  } finally {
    if (!isHeard) giveBack(granted);
  }
}

function giveBack(answer: TreasuryAnswer): void {
  if (answer.kind === 'granted') answer.reservation.settle({ how: 'unsent' });
}

function findEnd(event: ModelEvent, bill: Bill, maxOutput: number): SettleEnd | undefined {
  if (event.type === 'response_failed') return bill.ofFailure(event.failure, event.usage, maxOutput);
  return event.type === 'response_ended' ? bill.ofAnswer(event.message.usage) : undefined;
}

function holdRest(end: SettleEnd): SettleEnd {
  return end.how === 'reported' ? { ...end, holdsRest: true } : { how: 'reserved' };
}
