import type { CallToolResult } from '@modelcontextprotocol/client';
import { isRecord } from '../lib/fields/field-values.ts';
import { fail, formatError, ok, type Result } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { Tool, ToolPolicy } from '../protocol/index.ts';
import type { ServerConfig } from './config.ts';
import {
  type ConnectFailure,
  type ConnectionSurroundings,
  isRefusal,
  type LiveClient,
  loginHint,
} from './connect.ts';
import { type CallOptions, Connection } from './connection.ts';
import { hashDefinition, maxTools, readDefinition, type ToolDefinition } from './definition.ts';
import { describeServerError } from './invalid-result.ts';
import { listOffered } from './list-tools.ts';
import { mcpTool, type ToolServer } from './mcp-tool.ts';
import type { Pins } from './pins.ts';
import { ServerPrompts } from './prompts.ts';
import { Relisting } from './relisting.ts';
import { nameTools } from './tool-names.ts';

export interface EntryOptions {
  server: ServerConfig;
  plainName: string;
  around: ConnectionSurroundings;
  pins: Pins;
  connectTimeoutMs: number;
  toolTimeoutMs: number;
  /** Asks whether tools that differ from their approved definition may be used. */
  approve(entry: ServerEntry, changed: readonly ChangedTool[]): Promise<boolean>;
  notice(text: string): void;
  stateChanged(): void;
  /** Other tools may be used than before. */
  offerChanged(): void;
  /** A notification of the server. */
  notified(method: string, params: Record<string, unknown>): void;
}

/** `before` is undefined for a tool that did not exist when the server was approved. */
export interface ChangedTool {
  name: string;
  before: ToolDefinition | undefined;
  after: ToolDefinition;
}

/** A server that has been silent this long when its session ends is remembered as silent. */
const silenceMs = 150;
/** A server that changes more often than this during one connection is no longer asked about. */
const maxQuestions = 5;

/** One server of the session: its connection, its tools, and which of them the user has approved. */
export class ServerEntry implements ToolServer {
  readonly connection: Connection;
  readonly plainName: string;
  hasResources = false;
  readonly prompts: ServerPrompts;
  /** Settles when the question about changes, if there is one, was answered and acted on. */
  asked: Promise<void> = Promise.resolve();
  serverInfo: { name: string; version: string } | undefined;
  /** Tools that may be listed and called. */
  #approved: ToolDefinition[] = [];
  /** Tools that are offered but not approved, by name. */
  #withheld = new Map<string, ChangedTool>();
  #isKnown = false;
  #wasSilent: boolean | undefined;
  /** Why nothing is approved, if the approvals cannot be read. */
  #doubt: string | undefined;
  readonly #tools = new Map<string, Tool>();
  /** The tools that were last offered. */
  #offered: ToolDefinition[] = [];
  /** Changes that the user was asked about during this connection. */
  readonly #askedAbout = new Set<string>();
  readonly #relisting: Relisting;

  constructor(readonly options: EntryOptions) {
    const { server, around, connectTimeoutMs, toolTimeoutMs } = options;
    this.plainName = options.plainName;
    this.connection = new Connection({
      server,
      around,
      connectTimeoutMs,
      toolTimeoutMs,
      established: (live) => this.#established(live),
      stateChanged: options.stateChanged,
    });
    this.#relisting = new Relisting(around.clock, () => this.#listAgain());
    const live = () => this.connection.live;
    this.prompts = new ServerPrompts(around.clock, server, options.pins, live, connectTimeoutMs);
    const known = this.#isPinned ? options.pins.known(server) : undefined;
    if (!known || known.doubt !== undefined || known.tools.length < known.pins.size) return;
    this.#approved = known.tools;
    this.hasResources = known.hasResources;
    this.#isKnown = true;
  }

  get name(): string {
    return this.options.server.name;
  }

  findPolicy(tool: string): ToolPolicy | undefined {
    const policies = this.options.server.toolPolicies ?? {};
    return Object.hasOwn(policies, tool) ? policies[tool] : undefined;
  }

  /** Whether its tools are known: from the server itself, or from an earlier session. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Whether it should not be waited for: it did not answer when it was last started, and has not since. */
  get wasSilent(): boolean {
    if (this.#isKnown) return false;
    this.#wasSilent ??= this.options.pins.wasSilent(this.options.server);
    return this.#wasSilent;
  }

  get withheld(): string[] {
    return [...this.#withheld.keys()];
  }

  definitions(): readonly ToolDefinition[] {
    return this.#approved;
  }

  /** In the order of their names; the same value for the same tool, so that its rendered bytes stay the same. */
  tools(): Tool[] {
    const names = nameTools(
      this.plainName,
      this.#approved.map((tool) => tool.name),
    );
    const tools = this.#approved.map((definition) => {
      const key = hashDefinition(definition);
      const known = this.#tools.get(key);
      const tool = known ?? mcpTool(names.get(definition.name) ?? '', definition, this);
      if (!known) this.#tools.set(key, tool);
      return tool;
    });
    return tools.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  call(
    tool: string,
    args: Record<string, unknown>,
    options: CallOptions,
  ): Promise<Result<CallToolResult, string>> {
    return this.connection
      .use(async (live, signal, onprogress) => {
        // Only now is it known what the server offers today.
        const refusal = (await this.#staleness()) ?? this.#refusalOf(tool);
        if (refusal !== undefined) return fail(refusal);
        const timeout = 24 * 60 * 60_000;
        const result = await live.client.callTool(
          { name: tool, arguments: args },
          { signal, onprogress, timeout },
        );
        return ok(result as CallToolResult);
      }, options)
      .then((used) => (used.ok ? used.value : used));
  }

  async close(): Promise<void> {
    this.#relisting.stop();
    this.prompts.stop();
    const { pins, server } = this.options;
    if (!this.#isKnown && this.connection.silentMs >= silenceMs && !this.wasSilent)
      pins.rememberSilence(server, true);
    await this.connection.close();
  }

  /** Nothing is called while it is unknown whether it still matches the approval. */
  async #staleness(): Promise<string | undefined> {
    const problem = await this.#relisting.current();
    if (problem === undefined) return undefined;
    return `The MCP server ${this.name} announced that its tools changed, but they could not be listed. Its tools are not called until they can be. ${problem}`;
  }

  #refusalOf(tool: string): string | undefined {
    if (this.#doubt !== undefined)
      return `The tools of the MCP server ${this.name} cannot be used. ${this.#doubt}`;
    if (this.#withheld.has(tool))
      return `The MCP server ${this.name} has changed the tool ${visibleLine(tool, 100)} since the user approved it. It cannot be used until the user approves it again: cadre mcp test ${this.name}`;
    if (!this.#approved.some((one) => one.name === tool))
      return `The MCP server ${this.name} no longer offers the tool ${visibleLine(tool, 100)}.`;
    return undefined;
  }

  async #established(live: LiveClient): Promise<Result<void, ConnectFailure>> {
    const { client } = live;
    const { pins, server } = this.options;
    const capabilities = client.getServerCapabilities() ?? {};
    this.hasResources = capabilities.resources !== undefined;
    this.prompts.begin(live, capabilities.prompts !== undefined);
    client.fallbackNotificationHandler = async ({ method, params }) => {
      if (method === 'notifications/tools/list_changed') this.#relisting.announce();
      if (method === 'notifications/prompts/list_changed') this.prompts.announce();
      this.options.notified(method, isRecord(params) ? params : {});
    };
    this.#askedAbout.clear();
    const follow = this.#relisting.follow();
    const listed = await this.#list(live, capabilities.tools !== undefined);
    if (listed.ok) {
      // Not before: a server whose list fails was never available, and the user is told.
      this.serverInfo = client.getServerVersion();
      follow();
    }
    if (listed.ok && this.wasSilent) pins.rememberSilence(server, false);
    this.#isKnown ||= listed.ok;
    return listed;
  }

  async #listAgain(): Promise<string | undefined> {
    const { live } = this.connection;
    if (!live) return 'It is not connected.';
    try {
      const before = new Set(this.#approved.map(hashDefinition));
      const listed = await this.#list(live, true);
      this.#tellNew(before);
      this.options.stateChanged();
      return listed.ok ? undefined : listed.problem.reason;
    } catch (error) {
      const problem = visibleLine(formatError(error), 300);
      this.options.notice(`MCP server ${this.name}: ${problem}`);
      return problem;
    }
  }

  /** Tools that a server adds while it runs are used like the others, from the lead's next run on. */
  #tellNew(before: ReadonlySet<string>): void {
    const added = this.#approved.filter((tool) => !before.has(hashDefinition(tool)));
    if (added.length === 0 && this.#approved.length === before.size) return;
    this.options.offerChanged();
    const names = added.map(({ name }) => name).join(', ');
    if (names !== '') this.options.notice(`MCP server ${this.name}: new tools: ${visibleLine(names, 300)}.`);
  }

  async #list(live: LiveClient, hasTools: boolean): Promise<Result<void, ConnectFailure>> {
    const { connectTimeoutMs, notice } = this.options;
    let offered: unknown[] = [];
    try {
      if (hasTools) offered = await listOffered(live.client, connectTimeoutMs);
    } catch (error) {
      if (await isRefusal(error)) return fail({ kind: 'needs-auth', reason: loginHint(this.name) });
      return fail({
        kind: 'failed',
        reason: `Its tools could not be listed: ${describeServerError(error)}`,
      });
    }
    const definitions: ToolDefinition[] = [];
    for (const tool of offered.slice(0, maxTools)) {
      const read = readDefinition(tool);
      if (typeof read === 'string') notice(`MCP server ${this.name}: a tool is ignored: ${read}`);
      else if (!definitions.some((one) => one.name === read.name)) definitions.push(read);
    }
    if (offered.length > maxTools)
      notice(`MCP server ${this.name}: it has ${offered.length} tools; the first ${maxTools} are used.`);
    await this.#compare(definitions);
    return ok(undefined);
  }

  /** Servers that the host runs itself are the host's own code; all others must match their approval. */
  get #isPinned(): boolean {
    return this.options.server.transport.type !== 'host';
  }

  async #compare(offered: ToolDefinition[]): Promise<void> {
    const { pins, server } = this.options;
    this.#offered = offered;
    const known = this.#isPinned ? pins.known(server) : undefined;
    if (!known) {
      this.#approved = offered;
      if (this.#isPinned) await this.#pin(offered);
      return;
    }
    this.#doubt = known.doubt;
    if (known.doubt !== undefined) {
      this.#approved = [];
      this.#withheld = new Map(
        offered.map((after) => [after.name, { name: after.name, before: undefined, after }]),
      );
      this.options.notice(`MCP server ${this.name}: none of its tools can be used. ${known.doubt}`);
      return;
    }
    const before = new Map(known.tools.map((tool) => [tool.name, tool]));
    const isSame = (tool: ToolDefinition) => known.pins.get(tool.name) === hashDefinition(tool);
    const changed = offered
      .filter((tool) => !isSame(tool))
      .map((after) => ({ name: after.name, before: before.get(after.name), after }));
    this.#approved = offered.filter(isSame);
    this.#withheld = new Map(changed.map((one) => [one.name, one]));
    if (changed.length > 0 && this.#isNews(changed)) this.asked = this.#askAbout(changed, offered);
  }

  /** The same change is asked about once, and a server that keeps changing is not asked about forever. */
  #isNews(changed: readonly ChangedTool[]): boolean {
    const key = changed.map(({ after }) => hashDefinition(after)).join();
    if (this.#askedAbout.has(key) || this.#askedAbout.size > maxQuestions) return false;
    this.#askedAbout.add(key);
    if (this.#askedAbout.size <= maxQuestions) return true;
    this.options.notice(
      `MCP server ${this.name}: it keeps changing its tools, so the changes are ignored. Run cadre mcp test ${this.name} to see what it offers.`,
    );
    return false;
  }

  async #askAbout(changed: readonly ChangedTool[], offered: ToolDefinition[]): Promise<void> {
    const { approve, stateChanged } = this.options;
    if (!(await approve(this, changed))) return;
    const before = new Set(this.#approved.map(hashDefinition));
    await this.#pin(offered);
    // The approval does not cover changes that came meanwhile.
    if (this.#offered === offered) {
      this.#approved = offered;
      this.#withheld = new Map();
    } else await this.#compare(this.#offered);
    this.#tellNew(before);
    stateChanged();
  }

  async #pin(tools: readonly ToolDefinition[]): Promise<void> {
    const { pins, server, notice } = this.options;
    const kept = await pins.approve(server, tools, this.hasResources);
    if (!kept.ok) notice(`MCP server ${this.name}: ${kept.problem.message}`);
  }
}
