import type { AgentServers } from '../agents/agent-servers.ts';
import type { AgentDefinition } from '../agents/definition.ts';
import type { ServerConfig } from '../mcp/config.ts';
import type { McpPool } from '../mcp/pool.ts';
import type { ServerStatus } from '../mcp/status.ts';
import { coordinatorTools } from '../permissions/roles.ts';
import type { Answer, Question, Tool } from '../protocol/index.ts';
import type { WatchedServers, WatchServer } from '../tools/monitor-schema.ts';
import type { AgentDefinitions } from './agent-definitions.ts';
import { isAttended } from './attended.ts';
import type { Kernel } from './kernel.ts';
import { mainTools } from './main-agent.ts';
import { McpCommands } from './mcp-commands.ts';
import { changeQuestion, elicitAnswer, elicitQuestion } from './mcp-questions.ts';
import type { SessionFeature } from './opening.ts';
import type { CoordinatorChoice } from './settle-coordinator.ts';
import { chooseServers } from './settle-mcp.ts';
import type { LeadPermissions } from './settle-permissions.ts';
import { isDenied } from './tool-choice.ts';
import { countOf } from './variables.ts';

/** The MCP servers of a session and of its agents. */
export function mcpServers(
  { definitions, main }: AgentDefinitions,
  { on: coordinates }: CoordinatorChoice,
  { permissions }: { permissions: LeadPermissions },
): SessionFeature<{ mcp: SessionMcp }> {
  return {
    name: 'mcp',
    async open(kernel) {
      const chosen = await chooseServers(kernel, definitions);
      if (!chosen.ok) return chosen;
      const { servers, isWanted, notices } = chosen.value;
      const mcp = new SessionMcp(kernel, { servers, permissions, main, coordinates });
      return {
        mcp,
        notices,
        ready: () => {
          if (isWanted) void mcp.pool();
        },
        close: async () => {
          await mcp.close();
        },
      };
    },
  };
}

interface McpParts {
  servers: ServerConfig[];
  permissions: LeadPermissions;
  main: AgentDefinition | undefined;
  coordinates: boolean;
}

interface Connected {
  pool: McpPool;
  /** Tools that are about all servers. */
  helpers: readonly Tool[];
  openServers(definition: AgentDefinition, pool: McpPool): AgentServers | undefined;
  watch: WatchServer;
}

/**
 * The session's hold on MCP. Nothing of the room is loaded before a server is named. What the lead is shown is settled
 * when its first run begins, and after that changes only by somebody's wish: its requests keep their beginning.
 */
export class SessionMcp {
  /** Prompts of the servers, for those who type them. */
  readonly commands = new McpCommands(
    () => this.#connected?.pool,
    () => this.#opening,
  );
  /** For the tool that watches servers. */
  readonly watching: WatchedServers;
  #connected: Connected | undefined;
  #opening: Promise<McpPool> | undefined;
  #shown: readonly Tool[] = [];
  #isSettled = false;
  #isStale = false;
  readonly #end = new AbortController();

  constructor(
    private readonly kernel: Kernel,
    private readonly parts: McpParts,
  ) {
    const connected = () => this.#connected;
    this.watching = {
      get watch() {
        return connected()?.watch;
      },
      plainName: (server) => connected()?.pool.find(server)?.plainName,
      names: () => connected()?.pool.names() ?? [],
    };
  }

  /** The pool, made if there is none. */
  pool(): Promise<McpPool> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  get isWanted(): boolean {
    return this.#opening !== undefined;
  }

  /** Before a run: settles what the lead is shown. A first run waits for servers that nobody knows yet, a moment. */
  async prepare(): Promise<void> {
    if (!this.#opening || (this.#isSettled && !this.#isStale)) return;
    const pool = await this.#opening;
    await pool.settle(await this.#startupWait());
    this.#isSettled = true;
    this.#isStale = false;
    await this.#show(pool);
  }

  /** What the lead is shown, from its next run on. */
  get shown(): readonly Tool[] {
    return this.#shown;
  }

  /** For agents, which choose afresh: all that there is now. */
  tools(): readonly Tool[] {
    const { pool } = this.#connected ?? {};
    return pool ? this.#allowed([...pool.tools(), ...this.#helpersOf(pool)]) : [];
  }

  /** What came after the lead's list was settled: it is found by name, through the tool that stands for it. */
  late(): readonly Tool[] {
    const { pool } = this.#connected ?? {};
    const shown = new Set(this.#shown.map((tool) => tool.name));
    return pool ? this.#ofLead(pool.tools()).filter((tool) => !shown.has(tool.name)) : [];
  }

  status(): ServerStatus[] {
    return this.#connected?.pool.status() ?? [];
  }

  openServers(definition: AgentDefinition): AgentServers | undefined {
    return this.#connected?.openServers(definition, this.#connected.pool);
  }

  async close(): Promise<void> {
    this.#end.abort();
    const pool = await this.#opening;
    await pool?.close();
  }

  async #open(): Promise<McpPool> {
    const { place, id, events } = this.kernel;
    const asking = () => ({
      id: place.ids.uuid(),
      sessionId: id,
      cwd: place.cwd,
      askedAt: place.clock.now(),
    });
    const { openPool } = await import('./open-pool.ts');
    const opened = openPool(this.kernel, {
      ...this.parts,
      startupWaitMs: await this.#startupWait(),
      approve: async (server, changed) => {
        const answer = await this.#ask(changeQuestion(asking(), server, changed));
        return answer?.behaviour === 'allow';
      },
      elicit: async (elicitation, signal) => {
        const answer = await this.#ask(elicitQuestion(asking(), elicitation), signal);
        return answer ? elicitAnswer(answer) : { action: 'decline' };
      },
      notice: (text) => events.warn(text),
      chosen: () => {
        this.#isStale = true;
      },
    });
    this.#connected = opened;
    const { pool } = opened;
    if (this.#end.signal.aborted) await pool.close();
    else pool.start();
    return pool;
  }

  /** Undefined where nobody would answer. */
  async #ask(question: Question, signal = this.#end.signal): Promise<Answer | undefined> {
    if (!isAttended(this.kernel.options) || this.#end.signal.aborted) return undefined;
    return this.kernel.questions.propose(question, signal);
  }

  async #show(pool: McpPool): Promise<void> {
    const late = pool.unknown();
    const { lateTool } = await import('../mcp/late-tool.ts');
    this.#shown = this.#ofLead([
      ...pool.tools(),
      ...this.#helpersOf(pool),
      ...(late.length > 0 ? [lateTool(pool, late, (tools) => this.#ofLead(tools)) as Tool] : []),
    ]);
  }

  /** A pool that holds only what agents bring along has nothing to list. */
  #helpersOf(pool: McpPool): readonly Tool[] {
    return pool.names().length > 0 ? (this.#connected?.helpers ?? []) : [];
  }

  #ofLead(tools: readonly Tool[]): Tool[] {
    const { main, coordinates } = this.parts;
    const allowed = this.#allowed(tools);
    if (coordinates) return allowed.filter(({ name }) => coordinatorTools.includes(name));
    return main ? mainTools(main, allowed) : allowed;
  }

  #allowed(tools: readonly Tool[]): Tool[] {
    const { rules } = this.parts.permissions.context();
    return tools.filter((tool) => !isDenied(tool.name, rules));
  }

  async #startupWait(): Promise<number> {
    const { defaultStartupWaitMs } = await import('../mcp/pool-options.ts');
    const { place, settings } = this.kernel;
    const wait = countOf(place.environment.CADRE_MCP_STARTUP_WAIT_MS);
    return wait ?? settings.mcp.startupWaitMs ?? defaultStartupWaitMs;
  }
}
