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
import { computeCost, type Price } from '../../src/models/prices.ts';
import { type AssistantMessage, type Message, type ModelRequest, noUsage } from '../../src/protocol/index.ts';
import { ChancyProvider } from './budget-provider.ts';
import { type Random, seededRandom } from './random.ts';

const sessions = 16;
const modelId = 'anthropic/claude-sonnet-5-5';
const price: Price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5, cacheWriteHour: 4 };
const unlimited = Number.POSITIVE_INFINITY;

/**
 * Sixteen sessions, some with a child under a cap of its own, spend from one cap at a provider that keeps its own
 * account of what it charges. An early stop is an `out_of_budget` at a moment when any reservation was open or any
 * request under way, or when the smallest form of the refused request (1,024 tokens of output) would have fitted.
 */
const proof: Proof = {
  name: 'budget',
  promise: 'G1: sixteen sessions on one cap never cross it, and none stops while money is left',
  async run(full, seed) {
    const directory = mkdtempSync(join(tmpdir(), 'cadre-proof-'));
    const sum = { runs: 0, requests: 0, waits: 0, refusals: 0, crossed: 0, early: 0, stuck: 0 };
    const faults: string[] = [];
    try {
      for (let run = 0; run < (full ? 1_000 : 40); run++) {
        const world = new World(seed + run, ledgersFor(run, join(directory, String(run))));
        await world.play();
        sum.runs++;
        sum.requests += world.provider.requests;
        sum.waits += world.waits;
        sum.refusals += world.refusals;
        sum.crossed += world.isCrossed ? 1 : 0;
        sum.early += world.early.length > 0 ? 1 : 0;
        sum.stuck += world.isStuck ? 1 : 0;
        faults.push(...world.faults().map((fault) => `run ${run}: ${fault}`));
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
    return {
      passed: faults.length === 0 && sum.refusals > 0 && sum.waits > 0,
      figures: { sessions, ...sum },
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
  readonly #caps: Caps;
  /** The books as they were at each step of the present instant. */
  #moments: (Totals & { at: number })[] = [];
  readonly provider: ChancyProvider;
  waits = 0;
  refusals = 0;
  isStuck = false;
  readonly early: string[] = [];

  constructor(seed: number, ledgers: Ledger[]) {
    const random = seededRandom(seed);
    this.#random = random;
    this.provider = new ChancyProvider(modelId, price, this.#clock, random);
    this.#ledgers = ledgers.map((ledger) => this.#watched(ledger));
    // From hardly enough for one request to more than all will need.
    const microUsd = 20_000 * 2 ** random.below(12) + random.below(20_000);
    this.#caps = random.below(4) === 0 ? { microUsd, tokens: Math.ceil(microUsd / 5) } : { microUsd };
  }

  get isCrossed(): boolean {
    const { microUsd = unlimited, tokens = unlimited } = this.#caps;
    const noted = sumNoted(this.#totals());
    const { charged } = this.provider;
    return (
      Math.max(charged.microUsd, noted.microUsd) > microUsd || Math.max(charged.tokens, noted.tokens) > tokens
    );
  }

  faults(): string[] {
    const totals = this.#totals();
    const { openCount } = totals;
    const noted = sumNoted(totals).microUsd;
    const { microUsd } = this.provider.charged;
    return [
      ...(this.isCrossed ? [`${microUsd} charged, ${noted} noted of ${this.#caps.microUsd}`] : []),
      ...(microUsd > noted ? [`${microUsd} charged, but only ${noted} noted`] : []),
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
    while (running > 0 && !this.isStuck) {
      // Everybody who can go on does so before time moves.
      await new Promise((resolve) => setImmediate(resolve));
      const wait = this.#clock.untilNext();
      // Whoever looks at a shared file keeps the clock going for ever; nothing real takes a day.
      this.isStuck = running > 0 && (wait === undefined || this.#clock.monotonic() > 86_400_000);
      this.#clock.advance(wait ?? 0);
    }
    for (const ledger of this.#ledgers) ledger.close();
  }

  /** A lead that works until it is done or out of budget, perhaps with a child. */
  async #session(account: Account, index: number): Promise<void> {
    const { below } = this.#random;
    const lead = account.child(`lead-${index}`);
    const own = below(3) === 0 ? { microUsd: 5_000 + below(100_000) } : {};
    const child = below(2) === 0 ? [this.#agent(lead.child(`child-${index}`, own), own)] : [];
    await Promise.all([this.#agent(lead, {}), ...child]);
  }

  async #agent(account: Account, own: Caps): Promise<void> {
    const { below, text } = this.#random;
    const messages: Message[] = [];
    const turns = 1 + below(12);
    for (let turn = 0; turn < turns; turn++) {
      messages.push({ role: 'user', content: [{ type: 'text', text: text(below(4_000)) }] });
      const priority = below(3) === 0 ? 'foreground' : 'background';
      const request: ModelRequest = {
        system: ['be brief'],
        tools: [],
        messages,
        maxOutputTokens: [300, 4_000, 16_000, 32_000][below(4)] ?? 4_000,
        thinking: { type: 'off' },
        asker: { sessionId: 's', agentId: account.path.join('/'), priority },
      };
      const answer = await this.#ask(request, account, own);
      if (answer === 'out') return;
      if (answer) messages.push(answer);
      await sleep(this.#clock, below(200));
    }
  }

  async #ask(
    request: ModelRequest,
    account: Account,
    own: Caps,
  ): Promise<AssistantMessage | 'out' | undefined> {
    const { below } = this.#random;
    const controller = new AbortController();
    const abort = () => controller.abort();
    const cancel = below(12) === 0 ? this.#clock.after(below(800), abort) : () => {};
    const model = withBudget(this.provider.model(), account, { price });
    try {
      for await (const event of model.stream(request, controller.signal)) {
        if (event.type === 'request_waited') this.waits++;
        if (event.type === 'response_ended') return event.message;
        // Now and then somebody walks away in the middle of an answer.
        if (event.type === 'block_delta' && below(40) === 0) return undefined;
        if (event.type !== 'response_failed' || event.failure.kind !== 'out_of_budget') continue;
        this.refusals++;
        this.#checkRefusal(request, account, own, event.failure.message);
        return 'out';
      }
      return undefined;
    } finally {
      cancel();
    }
  }

  #checkRefusal(request: ModelRequest, account: Account, own: Caps, message: string): void {
    const input = countInput(modelId, request);
    const output = Math.min(1_024, request.maxOutputTokens);
    // The dearest class of input is a cache write.
    const least = computeCost(
      { ...noUsage, cache_creation_input_tokens: input, output_tokens: output },
      price,
    );
    if (account.spent.microUsd + account.held.microUsd + least > (own.microUsd ?? unlimited)) return;
    const { microUsd = unlimited, tokens = unlimited } = this.#caps;
    const isShort = (totals: Totals) => {
      const noted = sumNoted(totals);
      return noted.microUsd + least > microUsd || noted.tokens + input + output > tokens;
    };
    // Others may have been served in the same instant, after the refusal.
    const now = this.#clock.monotonic();
    const moments = [...this.#moments.filter((moment) => moment.at === now), this.#totals()];
    if (!moments.some((moment) => moment.openCount === 0 && isShort(moment)))
      this.early.push(`early stop, ${least} would have fitted or others were open: ${message}`);
    if (this.provider.underWay > 0 && this.provider.idleAt !== now)
      this.early.push(`early stop with ${this.provider.underWay} requests under way: ${message}`);
  }

  #open(ledger: Ledger): Account {
    const owner = { pid: process.pid, start: 'now' };
    const overrides = { [modelId]: price };
    const opened = openAccount({
      ledger,
      caps: this.#caps,
      clock: this.#clock,
      ids: randomIds,
      owner,
      overrides,
    });
    if (!opened.ok) throw new Error(opened.problem.message);
    return opened.value;
  }

  #watched(ledger: Ledger): Ledger {
    const append = ledger.append.bind(ledger);
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
    if (this.#moments.at(-1)?.at !== at) this.#moments = [];
    this.#moments.push({ at, ...ledger.books.totals([]) });
  }

  #totals(): Totals {
    const ledger = this.#ledgers[0] ?? memoryLedger();
    ledger.refresh();
    return ledger.books.totals([]);
  }
}

/** What the books count against a cap once nothing is open. */
function sumNoted(totals: Totals): { microUsd: number; tokens: number } {
  return {
    microUsd: totals.spentMicroUsd + totals.heldMicroUsd,
    tokens: totals.spentTokens + totals.heldTokens,
  };
}
