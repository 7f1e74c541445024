import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, calls, type FixedTurn, failWith, say } from '../../src/testing/index.ts';

/** So many agents, each of which makes one line in a file and then reports; a quota ends in the middle of that. */
export class Jobs {
  /** Requests that came while nothing was left. */
  refused = 0;
  answered = 0;
  /** When each request came. */
  readonly times: number[] = [];

  constructor(
    readonly count: number,
    private readonly quota: { requests: number; retryAfterMs(): number; isReset(): boolean; now(): number },
  ) {}

  readonly script = (request: ModelRequest): FixedTurn => {
    const { requests, retryAfterMs, isReset, now } = this.quota;
    this.times.push(now());
    if (this.answered >= requests && !isReset()) {
      this.refused++;
      const message = 'Your five-hour limit is used up.';
      return failWith({ kind: 'rate_limited', message, status: 429, retryAfterMs: retryAfterMs() });
    }
    this.answered++;
    return this.#answer(request);
  };

  #answer({ messages }: ModelRequest): FixedTurn {
    const text = JSON.stringify(messages);
    const [, job] = /"text":"job (\d+)"/.exec(text) ?? [];
    if (job !== undefined)
      return text.includes('"tool_result"')
        ? say(`report ${job}.`)
        : call('Bash', { command: `echo ${job} >> effects` });
    if (messages.length === 1) return calls(this.#names.map((one) => hire(one)));
    const missing = this.#names.filter((one) => !text.includes(`report ${one}.`));
    return say(missing.length === 0 ? `All ${this.count} reports.` : `${missing.length} are missing.`);
  }

  get #names(): number[] {
    return Array.from({ length: this.count }, (_, index) => index + 1);
  }
}

/** A tenth of them in the foreground: their caller waits. More than run at once would not all have been started. */
function hire(job: number) {
  return call('Agent', {
    ...{ description: `job ${job}`, prompt: `job ${job}`, subagent_type: 'general-purpose' },
    run_in_background: job % 10 !== 0,
  });
}

/** Settings under which so many agents start without a question. */
export const jobSettings = {
  agents: { askAboveAgents: 1_000_000 },
  sandbox: { enabled: false },
};
