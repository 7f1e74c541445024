import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { type Clock, sleep } from '../../lib/clock.ts';
import { isRecord } from '../../lib/fields/field-values.ts';
import { type OwnedProcess, type ProcessEnd, spawnOwned } from '../../lib/processes/process.ts';
import { RateBudget } from '../../lib/rate-budget.ts';
import { boundText, visible } from '../../lib/text/text.ts';
import { explainWhyNotRun } from '../../places/why-not-run.ts';
import { MessageLines } from './message-lines.ts';
import { MessageRate } from './message-rate.ts';
import { repairAnswer } from './repair-answer.ts';

export interface StdioOptions {
  command: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd: string;
  /** The session's mark, by which the process and all its descendants are found. */
  owner: string;
  clock: Clock;
}

const keptErrors = 2_000;
/** The time a server has to clean up after its input is closed; then it is ended. */
const farewellMs = 500;
/** After this many, other work has its turn. */
const maxAtOnce = 100;
/** Only the end of stderr is kept; output that comes faster than this per second waits. */
const errorRate = { perSecond: 1024 * 1024, burst: 1024 * 1024 };
const errorPauseMs = 100;
/** A server that does not read our answers gets no more of them. */
const maxUnsent = 1024 * 1024;

/**
 * A server as a process of ours: owned with all its descendants, ended as a tree, and read through a bounded reader.
 * The SDK's own transport does none of this.
 */
export class StdioTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onerror?: Transport['onerror'];
  onclose?: Transport['onclose'];
  #process: OwnedProcess | undefined;
  #ended: ProcessEnd | undefined;
  #closed = false;
  #closing: Promise<void> | undefined;
  #errors = '';
  #atOnce = 0;
  #unsent = 0;
  #isLoud = false;
  #hasSpoken = false;
  readonly #messages: MessageRate;
  readonly #words: RateBudget;

  constructor(private readonly options: StdioOptions) {
    this.#messages = new MessageRate(options.clock, () => this.#process?.kill());
    this.#words = new RateBudget(options.clock, errorRate);
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async start(): Promise<void> {
    const lines = new MessageLines({
      line: (text) => this.#receive(text),
      blank: () => void this.#isWithinRate(),
      dropped: (bytes, id) => this.#drop(bytes, id),
    });
    const { command, args, env, cwd, owner, clock } = this.options;
    const held = await explainWhyNotRun({ command, args, directories: [cwd], userHome: env.HOME ?? '/' });
    if (held !== undefined) throw new Error(`The server was not started: ${held}.`);
    const started = spawnOwned({
      file: command,
      args,
      env,
      cwd,
      owner,
      clock,
      keepsInput: true,
      output: (chunk) => {
        lines.add(chunk);
        this.#messages.allowsPending(lines.pending);
      },
      errorOutput: (chunk) => {
        this.#isLoud = !this.#words.spend(chunk.length);
        this.#errors = (this.#errors + Buffer.from(chunk.subarray(-keptErrors)).toString('utf8')).slice(
          -keptErrors,
        );
      },
      pace: () => this.#pace(),
      graceMs: 1_000,
    });
    this.#process = started;
    void started.ended.then((end) => this.#end(end));
    if (started.pid === undefined)
      throw new Error((await started.ended).problem ?? `${command} could not be started.`);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#process?.input;
    if (!input || this.#closed || this.#ended || input.destroyed) throw new Error(this.describeEnd());
    const text = `${JSON.stringify(message)}\n`;
    this.#unsent += text.length;
    await new Promise<void>((resolve, reject) =>
      input.write(text, (error) => {
        this.#unsent -= text.length;
        if (error) reject(new Error(this.describeEnd()));
        else resolve();
      }),
    );
  }

  /** Resolves when the process has ended, also for callers that ask while it is being closed. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { clock } = this.options;
    const running = this.#process;
    if (!running) {
      this.onclose?.();
      return;
    }
    running.input?.end();
    // A server that never said anything has nothing to clean up.
    if (this.#hasSpoken) {
      const enough = new AbortController();
      await Promise.race([running.ended, sleep(clock, farewellMs, enough.signal)]);
      enough.abort();
    }
    running.kill();
    await running.ended;
  }

  /** How the process ended, and its last output, for people and models. */
  describeEnd(): string {
    const words = boundText(visible(this.#errors.trim()), 500);
    const said = words === '' ? '' : ` Its last output: ${words}`;
    if (this.#messages.offence !== undefined) return this.#messages.offence + said;
    if (!this.#ended) return `It no longer accepts messages.${said}`;
    const { code, signal, problem } = this.#ended;
    if (problem !== undefined) return problem;
    return `Its process ended (${signal === null ? `exit code ${code}` : signal}).${said}`;
  }

  /** Output that is not JSON-RPC is dropped. Log messages are dropped here too, as cheaply as possible. */
  #receive(text: string): void {
    if (this.#closed || !this.#isWithinRate()) return;
    this.#hasSpoken = true;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (!isRecord(message) || message.jsonrpc !== '2.0' || message.method === 'notifications/message') return;
    const isRequest = message.method !== undefined && message.id !== undefined;
    if (isRequest && this.#unsent > maxUnsent) return;
    this.onmessage?.(repairAnswer(message) as unknown as JSONRPCMessage);
  }

  #isWithinRate(): boolean {
    this.#atOnce++;
    return this.#messages.allows();
  }

  #pace(): Promise<void> | undefined {
    // Its output is no longer read; its streams are destroyed when it has ended.
    if (this.#messages.offence !== undefined) return new Promise(() => {});
    if (this.#isLoud) {
      this.#isLoud = false;
      return sleep(this.options.clock, errorPauseMs);
    }
    if (this.#atOnce < maxAtOnce) return undefined;
    this.#atOnce = 0;
    return new Promise((resolve) => setImmediate(resolve));
  }

  #drop(bytes: number, id: number | undefined): void {
    const message = `It sent a message of ${bytes} bytes, which is too large.`;
    if (id === undefined) this.onerror?.(new Error(message));
    else this.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32_000, message } });
  }

  #end(end: ProcessEnd): void {
    this.#ended = end;
    this.#closed = true;
    this.onclose?.();
  }
}
