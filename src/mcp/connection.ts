import type { Progress } from '@modelcontextprotocol/client';
import { sleep } from '../lib/clock.ts';
import { fail, formatError, ok, type Result } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import { CallTimer } from './call-timer.ts';
import type { ServerConfig } from './config.ts';
import {
  type ConnectFailure,
  type ConnectionSurroundings,
  connectClient,
  isHttpStatus,
  isRefusal,
  type LiveClient,
  loginHint,
} from './connect.ts';
import { describeServerError } from './invalid-result.ts';

export type ConnectionState = 'pending' | 'connected' | 'failed' | 'needs-auth' | 'closed';

export interface ConnectionOptions {
  server: ServerConfig;
  around: ConnectionSurroundings;
  connectTimeoutMs: number;
  toolTimeoutMs: number;
  /** Called after each successful connection, before it is used: this checks what the server offers. */
  established(live: LiveClient): Promise<Result<void, ConnectFailure>>;
  stateChanged(): void;
}

export interface CallOptions {
  signal: AbortSignal;
  onProgress?(progress: Progress): void;
  timeoutMs?: number;
}

/** After this many restarts a server is left alone until it is requested by name. */
export const maxRestarts = 5;
const firstPauseMs = 500;
/** After being connected this long, a server's restarts are counted from zero again. */
const steadyMs = 10 * 60_000;
const pingMs = 5_000;

/**
 * One server, shared by all its users. It is started when it is first needed, and again when it is needed after it
 * ended, with growing pauses in between. No call is ever repeated automatically.
 */
export class Connection {
  state: ConnectionState = 'pending';
  /** Why it is not connected. */
  reason: string | undefined;
  /** Whether it was started and has not answered. */
  isSilent = false;
  #startedAt = 0;
  #live: LiveClient | undefined;
  #attempt: Promise<Result<LiveClient, ConnectFailure>> | undefined;
  #attempts = 0;
  #restarts = 0;
  #notBefore = 0;
  #since = 0;
  readonly #end = new AbortController();

  constructor(readonly options: ConnectionOptions) {}

  get name(): string {
    return this.options.server.name;
  }

  get restarts(): number {
    return this.#restarts;
  }

  get pid(): number | undefined {
    return this.#live?.pid;
  }

  /** How long it has been silent. */
  get silentMs(): number {
    return this.isSilent ? this.options.around.clock.monotonic() - this.#startedAt : 0;
  }

  get live(): LiveClient | undefined {
    return this.#live;
  }

  /** The connection, opened if necessary. */
  ready(): Promise<Result<LiveClient, ConnectFailure>> {
    if (this.#live) return Promise.resolve(ok(this.#live));
    if (this.state === 'closed') return Promise.resolve(fail({ kind: 'failed', reason: 'It was disabled.' }));
    this.#attempt ??= this.#connect().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  /** Forgets earlier failures, and starts again. */
  async reset(): Promise<Result<LiveClient, ConnectFailure>> {
    await this.#drop(undefined);
    await this.#attempt;
    this.#restarts = 0;
    this.#attempts = 0;
    this.#notBefore = 0;
    return this.ready();
  }

  async close(): Promise<void> {
    this.#move('closed', 'It was disabled.');
    this.#end.abort();
    const live = this.#live;
    this.#live = undefined;
    await Promise.all([live?.close(), this.#attempt]);
  }

  /** Uses the connection within the time limit of a call. The problem is a message for people and models. */
  async use<T>(
    work: (live: LiveClient, signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<T>,
    options: CallOptions,
  ): Promise<Result<T, string>> {
    const timer = new CallTimer(
      this.options.around.clock,
      options.timeoutMs ?? this.#timeout(),
      options.signal,
    );
    try {
      const ready = await timer.bound(this.ready());
      if (!ready.ok) return fail(`The MCP server ${this.name} is not available. ${ready.problem.reason}`);
      const noteProgress = (progress: Progress) => {
        if (!this.options.server.isTimeoutFixed) timer.extend();
        options.onProgress?.(progress);
      };
      return ok(await timer.bound(work(ready.value, timer.signal, noteProgress)));
    } catch (error) {
      return fail(await this.#explain(error, timer, options.signal));
    } finally {
      timer.stop();
    }
  }

  #timeout(): number {
    return this.options.server.toolTimeoutMs ?? this.options.toolTimeoutMs;
  }

  async #connect(): Promise<Result<LiveClient, ConnectFailure>> {
    const { server, around, connectTimeoutMs, established } = this.options;
    const { clock } = around;
    if (this.#attempts > 0) {
      if (this.#restarts >= maxRestarts)
        return fail({ kind: 'failed', reason: `${this.reason ?? ''} ${gaveUp}`.trim() });
      this.#restarts++;
      await sleep(clock, Math.max(0, this.#notBefore - clock.monotonic()), this.#end.signal);
    }
    this.#attempts++;
    this.#move('pending', undefined);
    this.#notBefore = clock.monotonic() + firstPauseMs * 2 ** this.#restarts;
    this.isSilent = true;
    this.#startedAt = clock.monotonic();
    const made = await connectClient(server, around, connectTimeoutMs, this.#end.signal);
    this.isSilent = !made.ok && (made.problem.isSilence === true || this.#end.signal.aborted);
    if (!made.ok) {
      this.#move(made.problem.kind, made.problem.reason);
      return made;
    }
    const live = made.value;
    let isGone = false;
    live.client.onclose = () => {
      isGone = true;
      this.#lost(live);
    };
    const looked = await established(live).catch(unexpected);
    if (isGone || !looked.ok || this.#end.signal.aborted) {
      const wentByItself = looked.ok || isGone;
      await live.close();
      const gone = { kind: 'failed' as const, reason: live.describeEnd() ?? 'The connection was closed.' };
      const failure = wentByItself ? gone : looked.problem;
      this.#move(failure.kind, failure.reason);
      return fail(failure);
    }
    this.#live = live;
    this.#since = clock.monotonic();
    this.#move('connected', undefined);
    return made;
  }

  #lost(live: LiveClient): void {
    if (this.#live !== live) return;
    this.#live = undefined;
    const { clock } = this.options.around;
    if (clock.monotonic() - this.#since > steadyMs) this.#restarts = 0;
    this.#notBefore = clock.monotonic() + firstPauseMs * 2 ** this.#restarts;
    this.#move('failed', live.describeEnd() ?? 'The connection was closed.');
  }

  async #drop(reason: string | undefined): Promise<void> {
    const live = this.#live;
    this.#live = undefined;
    if (reason !== undefined) this.#move('failed', reason);
    await live?.close();
  }

  async #explain(error: unknown, timer: CallTimer, wanted: AbortSignal): Promise<string> {
    if (wanted.aborted) return 'The call was interrupted; it is unknown whether it took effect.';
    if (timer.isOver) {
      void this.#checkPulse();
      return `The MCP server ${this.name} did not answer within ${timer.ms / 1000} s; it is unknown whether the call took effect.`;
    }
    if (await isRefusal(error)) {
      await this.#drop(undefined);
      this.#move('needs-auth', loginHint(this.name));
      return `The MCP server ${this.name} requires the user to log in: cadre mcp login ${this.name}`;
    }
    // The server has forgotten our session: the next call starts a new one.
    if (isHttpStatus(error, 404)) await this.#drop('The server no longer recognises this session.');
    if (!this.#live)
      return `The MCP server ${this.name} closed the connection during the call; it is unknown whether the call took effect. ${this.reason ?? ''}`.trim();
    return `The MCP server ${this.name} says: ${describeServerError(error, 2_000)}`;
  }

  /** A server that does not even answer this hangs; it is ended, and started again when it is needed next. */
  async #checkPulse(): Promise<void> {
    const live = this.#live;
    if (!live) return;
    const timer = new CallTimer(this.options.around.clock, pingMs, this.#end.signal);
    try {
      await timer.bound(live.client.ping({ signal: timer.signal, timeout: pingMs * 2 }));
    } catch {
      if (timer.isOver && this.#live === live) await this.#drop('It did not respond and was stopped.');
    } finally {
      timer.stop();
    }
  }

  #move(state: ConnectionState, reason: string | undefined): void {
    if (this.state === 'closed') return;
    this.state = state;
    this.reason = reason;
    this.options.stateChanged();
  }
}

/** Bad data from a server fails that server, not the program. */
function unexpected(error: unknown): Result<never, ConnectFailure> {
  return fail({
    kind: 'failed',
    reason: `It sent invalid data: ${visibleLine(formatError(error), 300)}`,
  });
}

const gaveUp = `It was started ${maxRestarts + 1} times and will not be restarted automatically.`;
