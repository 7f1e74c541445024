import type { Clock } from '../lib/clock.ts';
import { formatError } from '../lib/result.ts';
import type { ServerConfig } from './config.ts';
import type { LiveClient } from './connect.ts';
import type { Pins } from './pins.ts';
import { type PromptDefinition, readPrompt } from './prompt-definition.ts';
import { Relisting } from './relisting.ts';

const maxPrompts = 200;

/** A server's prompts. They are remembered, so that they can be listed before the server is connected. */
export class ServerPrompts {
  /** Settles when the connection's prompts were requested, whatever the result. Nothing else waits for it. */
  listed: Promise<unknown> = Promise.resolve();
  #offered: readonly PromptDefinition[] | undefined;
  readonly #relisting: Relisting;

  constructor(
    clock: Clock,
    private readonly server: ServerConfig,
    private readonly pins: Pick<Pins, 'prompts' | 'rememberPrompts'>,
    private readonly live: () => LiveClient | undefined,
    private readonly timeoutMs: number,
  ) {
    this.#relisting = new Relisting(clock, () => this.#list(this.live()));
  }

  offered(): readonly PromptDefinition[] {
    this.#offered ??= this.#isKept ? this.pins.prompts(this.server) : [];
    return this.#offered;
  }

  /** Requests them, in the background. */
  begin(live: LiveClient, hasPrompts: boolean): void {
    if (hasPrompts) this.listed = this.#list(live);
    else this.#take([]);
  }

  announce(): void {
    this.#relisting.announce();
  }

  stop(): void {
    this.#relisting.stop();
  }

  async #list(live: LiveClient | undefined): Promise<string | undefined> {
    // Otherwise the SDK would write to stdout that the server offers none.
    if (!live?.client.getServerCapabilities()?.prompts) return undefined;
    try {
      this.#take((await live.client.listPrompts(undefined, { timeout: this.timeoutMs })).prompts);
      return undefined;
    } catch (error) {
      // The server keeps its earlier prompts then; its tools are handled separately.
      return formatError(error);
    }
  }

  #take(given: readonly unknown[]): void {
    const before = this.offered();
    this.#offered = given.slice(0, maxPrompts).flatMap(readPrompt);
    if (this.#isKept && JSON.stringify(before) !== JSON.stringify(this.#offered))
      this.pins.rememberPrompts(this.server, this.#offered);
  }

  get #isKept(): boolean {
    return this.server.transport.type !== 'host';
  }
}
