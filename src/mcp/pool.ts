import type { GetPromptResult } from '@modelcontextprotocol/client';
import { sleep } from '../lib/clock.ts';
import { isRecord } from '../lib/fields/field-values.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { Tool } from '../protocol/index.ts';
import { describeMissingServer } from '../tools/monitor/missing-server.ts';
import { describeFault, readServer, type ServerConfig } from './config.ts';
import { readHostServer } from './host-server.ts';
import { type ServerLease, ServerLeases } from './leases.ts';
import { findServerRefusal } from './policy.ts';
import type { PoolOptions } from './pool-options.ts';
import type { PromptDefinition } from './prompt-definition.ts';
import { type ChangedTool, ServerEntry } from './server-entry.ts';
import { describeServerStatus, type ServerStatus } from './status.ts';
import { formatToolName, plainServer } from './tool-names.ts';

export interface PromptOffer {
  command: string;
  server: string;
  prompt: PromptDefinition;
}

/** A server that is not waited for need not be connected for the first request; it starts once that is sent. */
const knownPauseMs = 150;

/**
 * The MCP servers of a session: one connection each, for all its users. A server that is slow, dead or malicious
 * affects only its own tools.
 */
export class McpPool {
  readonly #options: PoolOptions;
  readonly #entries = new Map<string, ServerEntry>();
  readonly #disabled = new Map<string, ServerConfig>();
  /** Servers that the host runs itself or named while the session ran: it replaces them as a whole. */
  #dynamic = new Set<string>();
  readonly #leases: ServerLeases;
  readonly #listeners = new Set<ServerListener>();
  readonly #timers = new Set<() => void>();
  /** Servers that were already reported as unavailable. */
  readonly #told = new Set<string>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#leases = new ServerLeases((server) => this.#makeEntry(server));
    for (const server of options.servers) this.#enter(server);
    for (const { name, transport } of options.servers) if (transport.type === 'host') this.#dynamic.add(name);
  }

  /** Starts connecting, in the background. Nothing waits for it here. */
  start(): void {
    for (const entry of this.#entries.values()) this.#begin(entry);
  }

  /** Resolves when the tools of all servers, or of these, are known or given up, or the time is over. */
  async settle(ms: number, wanted = this.entries(), signal?: AbortSignal): Promise<void> {
    const open = wanted.filter(({ isKnown, wasSilent, connection }) => {
      return !isKnown && !wasSilent && connection.state === 'pending';
    });
    if (open.length === 0) return;
    const enough = new AbortController();
    const stop = () => enough.abort();
    signal?.addEventListener('abort', stop, { once: true });
    const all = Promise.all(open.map((entry) => entry.connection.ready()));
    await Promise.race([all, sleep(this.#options.around.clock, ms, enough.signal)]);
    stop();
    signal?.removeEventListener('abort', stop);
  }

  /** All tools that may be used now, by name. */
  tools(): Tool[] {
    return [...this.#entries.values()].flatMap((entry) => entry.tools());
  }

  /** Servers whose tools are not known yet. */
  unknown(): ServerEntry[] {
    return this.entries().filter((entry) => !entry.isKnown);
  }

  names(): string[] {
    return [...this.#entries.keys()];
  }

  /** By its name, or its form in rules and tool names. */
  find(name: string): ServerEntry | undefined {
    return this.#entries.get(name) ?? [...this.#entries.values()].find((entry) => entry.plainName === name);
  }

  entries(): ServerEntry[] {
    return [...this.#entries.values()];
  }

  status(): ServerStatus[] {
    const disabled = [...this.#disabled.values()].map((server) => ({
      name: server.name,
      status: 'disabled' as const,
      scope: server.scope,
      source: server.source,
      tools: [],
    }));
    return [...this.entries().map(describeServerStatus), ...disabled].sort((a, b) =>
      a.name < b.name ? -1 : 1,
    );
  }

  /** How many server processes and connections are open, agents' own included. */
  connected(): number {
    return [...this.entries(), ...this.#leases.entries()].filter((entry) => entry.connection.live).length;
  }

  /** An agent's own server: opened for the first agent that needs it, closed with the last. */
  lease(server: ServerConfig): ServerLease {
    return this.#leases.take(server, this.#options.around.clock);
  }

  /** Receives all notifications of servers. */
  listen(listener: ServerListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The commands that servers offer, by the name that the user types. */
  prompts(): PromptOffer[] {
    return this.entries().flatMap((entry) =>
      entry.prompts.offered().map((prompt) => ({
        command: formatToolName(entry.plainName, prompt.name),
        server: entry.name,
        prompt,
      })),
    );
  }

  /** Waits for the server that a command names, and for its commands; returns a message if it is not available. */
  async awaitPrompts(command: string, ms: number, signal: AbortSignal): Promise<string | undefined> {
    const entry = this.entries().find(({ plainName }) => command.startsWith(`mcp__${plainName}__`));
    if (!entry) return undefined;
    const used = await entry.connection.use(async () => entry.prompts.listed, { signal, timeoutMs: ms });
    return used.ok ? undefined : used.problem;
  }

  async getPrompt(
    server: string,
    name: string,
    args: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Result<GetPromptResult, string>> {
    const entry = this.find(server);
    if (!entry) return fail(`No MCP server is named ${visibleLine(server, 100)}.`);
    return entry.connection.use(
      (live, inner) => live.client.getPrompt({ name, arguments: args }, { signal: inner }),
      { signal },
    );
  }

  async reconnect(name: string): Promise<Result<void, string>> {
    const entry = this.find(name);
    if (!entry && this.#disabled.has(name))
      return fail(`The MCP server ${visibleLine(name, 100)} is disabled. Enable it with mcp_toggle.`);
    if (!entry) return fail(this.#noServer(name));
    const ready = await entry.connection.reset();
    return ready.ok ? ok(undefined) : fail(ready.problem.reason);
  }

  async toggle(name: string, enabled: boolean): Promise<Result<void, string>> {
    const entry = this.find(name);
    const disabled = this.#disabled.get(name);
    if (!entry && !disabled) return fail(this.#noServer(name));
    if (enabled && disabled) {
      this.#disabled.delete(name);
      this.#begin(this.#enter(disabled));
    }
    if (!enabled && entry) {
      this.#disabled.set(entry.name, entry.options.server);
      await this.#leave(entry.name);
    }
    this.#options.chosen();
    return ok(undefined);
  }

  /** Replaces the servers that the host has named so far. */
  async setServers(
    servers: Readonly<Record<string, unknown>>,
  ): Promise<{ added: string[]; removed: string[]; errors: Record<string, string> }> {
    const errors: Record<string, string> = {};
    const wanted = new Map<string, ServerConfig>();
    for (const [name, value] of Object.entries(servers)) {
      const read = this.#readDynamic(name, value);
      if (read.ok) wanted.set(name, read.value);
      else errors[name] = read.problem;
    }
    const removed = [...this.#dynamic].filter((name) => !isSame(this.#entries.get(name), wanted.get(name)));
    for (const name of removed) await this.#leave(name);
    const added = [...wanted.values()].filter(({ name }) => !this.#entries.has(name));
    for (const server of added) this.#begin(this.#enter(server));
    this.#dynamic = new Set([...wanted.keys()].filter((name) => this.#entries.has(name)));
    this.#options.chosen();
    return { added: added.map(({ name }) => name), removed, errors };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const cancel of this.#timers) cancel();
    await Promise.all([...this.#entries.values(), ...this.#leases.entries()].map((entry) => entry.close()));
    this.#entries.clear();
  }

  #begin(entry: ServerEntry): void {
    if (!entry.isKnown && !entry.wasSilent) return void entry.connection.ready();
    const cancel = this.#options.around.clock.after(knownPauseMs, () => {
      this.#timers.delete(cancel);
      if (!this.#closed && this.#entries.get(entry.name) === entry) void entry.connection.ready();
    });
    this.#timers.add(cancel);
  }

  #enter(server: ServerConfig): ServerEntry {
    const entry = this.#makeEntry(server);
    this.#entries.set(server.name, entry);
    return entry;
  }

  async #leave(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    this.#entries.delete(name);
    await entry?.close();
  }

  #makeEntry(server: ServerConfig): ServerEntry {
    const { around, pins, connectTimeoutMs, toolTimeoutMs, notice, stateChanged } = this.#options;
    const taken = new Set([...this.entries(), ...this.#leases.entries()].map((entry) => entry.plainName));
    return new ServerEntry({
      server,
      around,
      pins,
      connectTimeoutMs,
      toolTimeoutMs,
      notice,
      plainName: plainServer(server.name, taken),
      approve: (entry, changed) => this.#approve(entry, changed),
      stateChanged: () => {
        stateChanged?.();
        this.#tellFailure(server.name);
      },
      offerChanged: () => this.#options.chosen(),
      notified: (method, params) => {
        for (const listener of this.#listeners) listener(server.name, method, params);
      },
    });
  }

  /**
   * For the session's own servers only; an agent's result reports those it brought, and calls report a lost connection.
   */
  #tellFailure(name: string): void {
    const entry = this.#entries.get(name);
    const { state, reason = '' } = entry?.connection ?? {};
    const isFirst = !this.#closed && !this.#told.has(name) && entry?.serverInfo === undefined;
    if (!isFirst || (state !== 'failed' && state !== 'needs-auth')) return;
    this.#told.add(name);
    this.#options.notice(`MCP server ${visibleLine(name, 100)} is not available. ${reason}`);
  }

  async #approve(entry: ServerEntry, changed: readonly ChangedTool[]): Promise<boolean> {
    const { approve, notice } = this.#options;
    if (this.#closed) return false;
    if (await approve(entry.name, changed)) return true;
    const names = changed.map(({ name }) => visibleLine(name, 60)).join(', ');
    notice(
      `MCP server ${entry.name}: these tools changed since you approved them and are not used: ${visibleLine(names, 300)}. Review and approve them with cadre mcp test ${entry.name}.`,
    );
    return false;
  }

  #readDynamic(name: string, value: unknown): Result<ServerConfig, string> {
    if (this.#entries.has(name) && !this.#dynamic.has(name))
      return fail('A server with this name already exists and was not added by the host.');
    const source = 'mcp_set_servers';
    if (isRecord(value) && value.type === 'sdk') return ok(readHostServer(name, value));
    const { environment } = this.#options.around;
    const read = readServer(name, value, { scope: 'host', source, environment });
    if (!read.ok) return fail(describeFault(name, read.problem));
    const refusal = findServerRefusal(read.value, this.#options.settings);
    return refusal === undefined ? ok(read.value) : fail(refusal);
  }

  #noServer(name: string): string {
    return describeMissingServer(name, [...this.#entries.keys(), ...this.#disabled.keys()]);
  }
}

export type ServerListener = (server: string, method: string, params: Record<string, unknown>) => void;

function isSame(entry: ServerEntry | undefined, wanted: ServerConfig | undefined): boolean {
  return entry !== undefined && JSON.stringify(entry.options.server) === JSON.stringify(wanted);
}
