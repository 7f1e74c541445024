import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Proof } from '../../scripts/proofs.ts';
import { type ManualClock, manualClock, sleep } from '../../src/lib/clock.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { type Account, openAccount } from '../../src/models/budget/account.ts';
import type { Totals } from '../../src/models/budget/books.ts';
import { countInput } from '../../src/models/budget/count-input.ts';
import { fileLedger, ledgerPath } from '../../src/models/budget/file-ledger.ts';
import { type Ledger, memoryLedger } from '../../src/models/budget/ledger.ts';
import type { Caps, LedgerRecord } from '../../src/models/budget/records.ts';
import { withBudget } from '../../src/models/budget/with-budget.ts';
import { costOf, priceOf, totalTokens } from '../../src/models/prices.ts';
import {
  type AssistantMessage,
  type Message,
  type Model,
  type ModelEvent,
  type ModelRequest,
  noUsage,
  textOf,
  type Usage,
} from '../../src/protocol/index.ts';
import { type Random, seededRandom } from './random.ts';

const modelId = 'anthropic/claude-haiku-5-5';
const sessions = 16;

/**
 * Sixteen sessions, each with agents of its own, spend from one cap at a provider that keeps its own account of what
 * it charges. An early stop is an `out_of_budget` while a request was still under way, or while the smallest form of
 * the refused request (1,024 tokens of output) would have fitted into what was left.
 */
const proof: Proof = {
  name: 'budget',
  promise: 'G1: sixteen sessions on one cap never cross it, and none stops while money is left',
  async run(full, seed) {
    const directory = mkdtempSync(join(tmpdir(), 'cadre-proof-'));
    const sum = { runs: 0, requests: 0, refusals: 0, waits: 0, crossed: 0, early: 0, stuck: 0 };
    const faults: string[] = [];
    let used = 0;
    try {
      for (let run = 0; run < (full ? 1_000 : 40); run++) {
        const world = new World(seed + run, ledgersFor(run, join(directory, String(run))));
        await world.play();
        sum.runs++;
        sum.requests += world.requests;
        sum.refusals += world.refusals;
        sum.waits += world.waits;
        sum.crossed += world.isCrossed ? 1 : 0;
        sum.early += world.early.length > 0 ? 1 : 0;
        sum.stuck += world.isStuck ? 1 : 0;
        used += world.used;
        faults.push(...world.faults().map((fault) => `run ${run}: ${fault}`));
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
    return {
      passed: faults.length === 0 && sum.refusals > 0 && sum.waits > 0,
      figures: { sessions, ...sum, 'percent of the cap used': Math.round((100 * used) / sum.runs) },
      detail: faults.slice(0, 10).join('\n'),
    };
  },
};

export default proof;

/** Every fifth run is two processes on one file; the others share a ledger in memory. */
function ledgersFor(run: number, directory: string): Ledger[] {
  if (run % 5 !== 0) return [memoryLedger()];
  return [fileLedger(ledgerPath(directory)), fileLedger(ledgerPath(directory))];
}

/** One seeded run. */
class World {
  readonly #random: Random;
  readonly #clock: ManualClock = manualClock();
  readonly #ledgers: Ledger[];
  /** The books as they were at each step of the present instant, the one that it began with included. */
  #moments: (Totals & { at: number })[] = [];
  readonly #caps: Caps;
  /** What the provider charges, by its own count. */
  #charged = { microUsd: 0, tokens: 0 };
  readonly #counts = new WeakMap<Message, number>();
  /** What the provider adds to every prompt. */
  readonly #providersOwn: number;
  #underWay = 0;
  #idleAt = 0;
  requests = 0;
  refusals = 0;
  waits = 0;
  isStuck = false;
  readonly early: string[] = [];

  constructor(seed: number, ledgers: Ledger[]) {
    this.#random = seededRandom(seed);
    this.#ledgers = ledgers.map((ledger) => this.#watched(ledger));
    this.#providersOwn = this.#random.below(1_000);
    const microUsd = 2_000 + this.#random.below(60_000);
    this.#caps = this.#random.below(4) === 0 ? { microUsd, tokens: microUsd * 5 } : { microUsd };
  }

  get isCrossed(): boolean {
    const { microUsd = 0, tokens = Number.POSITIVE_INFINITY } = this.#caps;
    const { spentMicroUsd, spentTokens } = this.#totals();
    return (
      Math.max(this.#charged.microUsd, spentMicroUsd) > microUsd ||
      Math.max(this.#charged.tokens, spentTokens) > tokens
    );
  }

  /** Of the cap, from 0 to 1. */
  get used(): number {
    return this.#totals().spentMicroUsd / (this.#caps.microUsd ?? 1);
  }

  faults(): string[] {
    const { spentMicroUsd, openCount } = this.#totals();
    const { microUsd } = this.#charged;
    return [
      ...(this.isCrossed ? [`${microUsd} charged, ${spentMicroUsd} noted of ${this.#caps.microUsd}`] : []),
      ...(microUsd > spentMicroUsd ? [`${microUsd} charged, but only ${spentMicroUsd} noted`] : []),
      ...(this.isStuck ? ['somebody waits for ever'] : []),
      ...(openCount > 0 ? [`${openCount} reservations left open`] : []),
      ...this.early,
    ];
  }

  async play(): Promise<void> {
    const accounts = this.#ledgers.map((ledger) => this.#open(ledger));
    let running = sessions;
    for (let index = 0; index < sessions; index++) {
      const account = accounts[index % accounts.length];
      if (account) void this.#session(account, index).finally(() => running--);
    }
    while (running > 0) {
      await breathe();
      const wait = this.#clock.untilNext();
      // Pollers keep the clock going for ever; nothing real takes an hour.
      this.isStuck = running > 0 && (wait === undefined || this.#clock.monotonic() > 3_600_000);
      if (this.isStuck) return;
      this.#clock.advance(wait ?? 0);
    }
    for (const ledger of this.#ledgers) ledger.close();
  }

  #open(ledger: Ledger): Account {
    const owner = { pid: process.pid, start: 'now' };
    const opened = openAccount({ ledger, caps: this.#caps, clock: this.#clock, ids: randomIds, owner });
    if (!opened.ok) throw new Error(opened.problem.message);
    return opened.value;
  }

  #watched(ledger: Ledger): Ledger {
    const append = ledger.append.bind(ledger);
    this.#note(ledger);
    return Object.assign(ledger, {
      append: (record: LedgerRecord) => {
        this.#note(ledger);
        const result = append(record);
        this.#note(ledger);
        return result;
      },
    });
  }

  #note(ledger: Ledger): void {
    const at = this.#clock.monotonic();
    this.#moments = this.#moments.filter((moment) => moment.at === at);
    this.#moments.push({ at, ...ledger.books.totals([]) });
  }

  #totals(): Totals {
    const ledger = this.#ledgers[0] ?? memoryLedger();
    ledger.refresh();
    return ledger.books.totals([]);
  }

  /** A lead that works until it is out of budget or done, perhaps with a child under a cap of its own. */
  async #session(session: Account, index: number): Promise<void> {
    const below = this.#random.below;
    const lead = session.child(`lead-${index}`);
    const narrow = below(3) === 0 ? { microUsd: 500 + below(5_000) } : {};
    const child = below(2) === 0 ? [this.#agent(lead.child(`child-${index}`, narrow), narrow, index)] : [];
    await Promise.all([this.#agent(lead, {}, index), ...child]);
  }

  async #agent(account: Account, own: Caps, index: number): Promise<void> {
    const random = this.#random;
    const model = withBudget(this.#provider(), account);
    const messages: Message[] = [];
    const turns = 1 + random.below(12);
    for (let turn = 0; turn < turns; turn++) {
      messages.push(user(random.text(random.below(4_000))));
      const request: ModelRequest = {
        system: ['be brief'],
        tools: [],
        messages,
        maxOutputTokens: [300, 4_000, 16_000, 32_000][random.below(4)] ?? 4_000,
        thinking: { type: 'off' },
        asker: {
          sessionId: `session-${index}`,
          agentId: account.path.join('/'),
          priority: random.below(3) === 0 ? 'foreground' : 'background',
        },
      };
      const answer = await this.#ask(model, request, account, own);
      if (answer === 'out') return;
      if (answer) messages.push(answer);
      await sleep(this.#clock, random.below(200));
    }
  }

  async #ask(
    model: Model,
    request: ModelRequest,
    account: Account,
    own: Caps,
  ): Promise<AssistantMessage | 'out' | undefined> {
    const controller = new AbortController();
    const stop =
      this.#random.below(12) === 0
        ? this.#clock.after(this.#random.below(800), () => controller.abort())
        : undefined;
    try {
      for await (const event of model.stream(request, controller.signal)) {
        if (event.type === 'request_waited') this.waits++;
        if (event.type === 'response_ended') return event.message;
        if (event.type === 'response_failed' && event.failure.kind === 'out_of_budget') {
          this.refusals++;
          this.#checkRefusal(request, account, own, event.failure.message);
          return 'out';
        }
        // Now and then somebody walks away in the middle of an answer.
        if (event.type === 'block_delta' && this.#random.below(40) === 0) return undefined;
      }
      return undefined;
    } finally {
      stop?.();
    }
  }

  #checkRefusal(request: ModelRequest, account: Account, own: Caps, message: string): void {
    const input = countInput(modelId, request);
    const output = Math.min(1_024, request.maxOutputTokens);
    const price = priceOf(modelId);
    if (!price) throw new Error(`no price for ${modelId}`);
    // The dearest class of input is a cache write.
    const least = costOf({ ...noUsage, cache_creation_input_tokens: input, output_tokens: output }, price);
    const ownIsShort = account.spent.microUsd + least > (own.microUsd ?? Number.POSITIVE_INFINITY);
    if (ownIsShort) return;
    const { microUsd = 0, tokens = Number.POSITIVE_INFINITY } = this.#caps;
    const isShort = ({ spentMicroUsd, spentTokens }: Totals) =>
      spentMicroUsd + least > microUsd || spentTokens + input + output > tokens;
    // Others may have been served in the same instant, after the refusal.
    const now = this.#clock.monotonic();
    const moments = [...this.#moments.filter((moment) => moment.at === now), this.#totals()];
    if (!moments.some((moment) => moment.openCount === 0 && isShort(moment)))
      this.early.push(`early stop, ${least} would have fitted or others were open: ${message}`);
    if (this.#underWay > 0 && this.#idleAt !== now)
      this.early.push(`early stop with ${this.#underWay} requests under way: ${message}`);
  }

  /** A provider with chances of every kind, and its own account. */
  #provider(): Model {
    const world = this;
    return {
      id: modelId,
      facts: { window: 1_000_000, maxOutput: 128_000, images: true, thinking: ['off'], known: true },
      async *stream(request, signal) {
        world.requests++;
        const leave = world.#enter();
        try {
          for await (const event of world.#answer(request, signal)) {
            if (event.type === 'response_ended' || event.type === 'response_failed') leave();
            yield event;
          }
        } finally {
          leave();
        }
      },
    };
  }

  /** Counts a request as under way until the returned function is called. */
  #enter(): () => void {
    let isIn = true;
    if (this.#underWay++ === 0) this.#idleAt = this.#clock.monotonic();
    return () => {
      if (isIn) this.#underWay--;
      isIn = false;
      if (this.#underWay === 0) this.#idleAt = this.#clock.monotonic();
    };
  }

  async *#answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { below } = this.#random;
    const fate = fates[below(fates.length)];
    await sleep(this.#clock, below(1_500), signal);
    if (fate === 'refused') return yield failure('rate_limited', { status: 429 });
    const usage = this.#usageOf(request);
    this.#charge(usage);
    if (signal.aborted) return yield failure('aborted');
    if (fate === 'broken') return yield failure('network');
    yield { type: 'response_started', id: 'r', model: modelId };
    yield { type: 'block_started', index: 0, block: { type: 'text', text: '' } };
    const text = 'a word '.repeat(1 + below(40));
    yield { type: 'block_delta', index: 0, delta: { type: 'text', text } };
    await sleep(this.#clock, below(1_500), signal);
    if (signal.aborted) return yield failure('aborted', below(2) === 0 ? { usage } : {});
    if (fate === 'cut') return yield failure('network');
    if (fate === 'cut-with-usage') return yield failure('network', { usage });
    const content = [{ type: 'text' as const, text }];
    yield { type: 'block_ended', index: 0, block: { type: 'text', text } };
    const message: AssistantMessage = {
      role: 'assistant',
      id: 'r',
      model: modelId,
      content,
      stop_reason: 'end_turn',
      usage,
    };
    yield { type: 'response_ended', message };
  }

  /** A message counts the same each time: between a fifth of a token and a whole one for a byte, and a frame. */
  #tokensOf(message: Message): number {
    const bytes = Buffer.byteLength(textOf(message.content));
    const tokens = this.#counts.get(message) ?? Math.ceil((bytes * (20 + this.#random.below(81))) / 100) + 24;
    this.#counts.set(message, tokens);
    return tokens;
  }

  /** The prompt in any mix of classes; any part of what was allowed out, often all. */
  #usageOf(request: ModelRequest): Usage {
    const { below } = this.#random;
    const prompt = request.messages.reduce(
      (sum, message) => sum + this.#tokensOf(message),
      this.#providersOwn,
    );
    const read = below(prompt + 1);
    const written = below(prompt - read + 1);
    const output =
      below(4) === 0 ? request.maxOutputTokens : below(Math.min(request.maxOutputTokens, 2_000) + 1);
    return {
      input_tokens: prompt - read - written,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written,
      output_tokens: output,
    };
  }

  #charge(usage: Usage): void {
    const price = priceOf(modelId);
    if (price) this.#charged.microUsd += costOf(usage, price);
    this.#charged.tokens += totalTokens(usage);
  }
}

const fates = [
  'whole',
  'whole',
  'whole',
  'whole',
  'whole',
  'whole',
  'refused',
  'broken',
  'cut',
  'cut-with-usage',
];

function failure(
  kind: 'rate_limited' | 'network' | 'aborted',
  more: { status?: number; usage?: Usage } = {},
): ModelEvent {
  const { usage, ...rest } = more;
  return { type: 'response_failed', failure: { kind, message: kind, ...rest }, ...(usage ? { usage } : {}) };
}

function user(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** Lets everybody who can go on do so before time moves. */
function breathe(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
