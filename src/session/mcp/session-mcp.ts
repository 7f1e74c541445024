import { type AgentServers, withServerTools } from '../../agents/agent-servers.ts';
import type { AgentDefinition } from '../../agents/definition.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { ServerConfig } from '../../mcp/config.ts';
import type { ElicitAnswer } from '../../mcp/connect.ts';
import type { McpPool } from '../../mcp/pool.ts';
import type { ChangedTool } from '../../mcp/server-entry.ts';
import type { ServerStatus } from '../../mcp/status.ts';
import { coordinatorTools } from '../../permissions/roles.ts';
import type { Answer, Decision, Elicitation, Question, Tool } from '../../protocol/index.ts';
import { fillSection } from '../../settings/environment.ts';
import { settingsTable } from '../../settings/table/settings.ts';
import type { WatchedServers, WatchServer } from '../../tools/monitor/monitor-schema.ts';
import { type AgentDefinitions, mainTools } from '../agents/definitions.ts';
import type { CoordinatorChoice } from '../coordinator.ts';
import type { Kernel } from '../kernel.ts';
import { isDenied } from '../lead/tool-pool.ts';
import type { SessionFeature } from '../opening.ts';
import type { LeadPermissions } from '../permissions.ts';
import { chooseServers } from './choose-servers.ts';
import { McpCommands } from './commands.ts';

/** The MCP servers of a session and of its agents. */
export function mcpFeature(
  { definitions, main }: AgentDefinitions,
  { on: coordinates }: CoordinatorChoice,
  permissions: LeadPermissions,
): SessionFeature<{ mcp: SessionMcp }> {
  return {
    name: 'mcp',
    async open(kernel) {
      const chosen = await chooseServers(kernel, definitions);
      if (!chosen.ok) return chosen;
      const { servers, isWanted, notices } = chosen.value;
      permissions.ownCommands.setServers(servers);
      const mcp = new SessionMcp(kernel, { servers, permissions, main, coordinates });
      return {
        mcp,
        notices,
        ready: () => {
          if (isWanted) void mcp.openPool();
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
  /** Tools that concern all servers. */
  helpers: readonly Tool[];
  openServers(definition: AgentDefinition, pool: McpPool): AgentServers | undefined;
  watch: WatchServer;
}

/**
 * The session's hold on MCP. Nothing is loaded before a server is named. The lead's tools are settled when its first
 * run begins and later change only on request, so that its requests keep their beginning.
 */
export class SessionMcp {
  /** Prompts of the servers, as slash commands. */
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
  /** Those that the lead brings, if it is a teammate. */
  #brought: AgentServers | undefined;
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

  /** The pool, opened if it is not open yet. */
  openPool(): Promise<McpPool> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  get isWanted(): boolean {
    return this.#opening !== undefined;
  }

  /** Before a run: settles the lead's tools. A first run waits a moment for servers whose tools are not known yet. */
  async prepare(): Promise<void> {
    if (!this.#opening || (this.#isSettled && !this.#isStale)) return;
    const pool = await this.#opening;
    await pool.settle(await this.#startupWait());
    if (!this.#isSettled) await this.#bringServers();
    this.#isSettled = true;
    this.#isStale = false;
    await this.#show(pool);
  }

  /** A teammate in its own process has the servers of its definition, as one in its leader's process does. */
  async #bringServers(): Promise<void> {
    const { main } = this.parts;
    if (!main || main.mcpServers.length === 0 || !this.kernel.options.teamPart) return;
    this.#brought = this.openServers(main);
    await this.#brought?.ready(this.#end.signal);
    for (const note of this.#brought?.notes() ?? []) this.kernel.events.warn(note);
  }

  /** The tools that the lead is shown, from its next run on. */
  get shown(): readonly Tool[] {
    return this.#shown;
  }

  /** For agents, which choose again at their start: everything available now. */
  tools(): readonly Tool[] {
    const { pool } = this.#connected ?? {};
    return pool ? this.#allowed([...pool.tools(), ...this.#helpersOf(pool)]) : [];
  }

  /** Tools that came after the lead's list was settled: found by name, through the tool that represents them. */
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
    await this.#brought?.release();
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

  /** Undefined if no one would answer. */
  async #ask(question: Question, signal = this.#end.signal): Promise<Answer | undefined> {
    const { questions } = this.kernel;
    if (!questions.approvals.mayAnswer(question) || this.#end.signal.aborted) return undefined;
    return questions.propose(question, signal);
  }

  async #show(pool: McpPool): Promise<void> {
    const late = pool.unknown();
    const { lateTool } = await import('../../mcp/late-tool.ts');
    this.#shown = this.#ofLead([
      ...withServerTools(pool.tools(), this.#brought),
      ...this.#helpersOf(pool),
      ...(late.length > 0 ? [lateTool(pool, late, (tools) => this.#ofLead(tools)) as Tool] : []),
    ]);
  }

  /** A pool that holds only servers that agents brought has nothing to list. */
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
    const { place, settings } = this.kernel;
    return fillSection(settingsTable.mcp.section, settings.mcp, place.environment).startupWaitMs;
  }
}

/** The question whether tools that differ from their approved definition may be used. It lists all changes. */
export function changeQuestion(
  from: QuestionHead,
  server: string,
  changed: readonly ChangedTool[],
): Question {
  const names = changed.map(({ name }) => visibleLine(name, 60));
  const what = names.length === 1 ? `the tool ${names[0]}` : `${names.length} tools`;
  return {
    ...base(
      from,
      server,
      `the MCP server ${server} changed ${what} since you approved ${names.length === 1 ? 'it' : 'them'}`,
    ),
    input: {
      server,
      changed: changed.map(({ name, before, after }) => ({
        tool: name,
        before: before && shown(before),
        after: shown(after),
      })),
    },
    summary: visibleLine(`Use ${what} of the MCP server ${server} as changed? ${names.join(', ')}`, 300),
  };
}

function shown({ description, inputSchema, readOnly }: ChangedTool['after']) {
  return { description, inputSchema, readOnly };
}

export function elicitQuestion(from: QuestionHead, elicitation: Elicitation): Question {
  const { server, message, url } = elicitation;
  return {
    ...base(from, server, `the MCP server ${server} asks for your input`),
    input: { message, ...(url === undefined ? {} : { url }) },
    summary: visibleLine(`${server} asks: ${message}`, 300),
    elicitation,
  };
}

/** The fields that every question of the session itself has. */
export type QuestionHead = Pick<Question, 'id' | 'sessionId' | 'cwd' | 'askedAt'>;

/** As long as a background agent's question waits. */
const patienceMs = 10 * 60_000;

function base(from: QuestionHead, server: string, reason: string) {
  const decision: Decision = { behaviour: 'ask', by: 'default', reason };
  return {
    ...from,
    agentId: null,
    asker: { type: `MCP server ${server}`, background: true },
    toolUseId: `mcp-${from.id}`,
    toolName: `mcp__${server}`,
    decision,
    risk: { level: 'medium' as const, reasons: [] },
    suggestions: [],
    expiresAt: from.askedAt + patienceMs,
  };
}

/** Only plain values: a server may ask for nothing else. */
export function elicitAnswer(answer: Answer): ElicitAnswer {
  if (answer.behaviour === 'deny') return { action: answer.interrupt ? 'cancel' : 'decline' };
  const content = Object.entries(answer.input ?? {}).filter(
    (entry): entry is [string, string | number | boolean | string[]] => isPlain(entry[1]),
  );
  return { action: 'accept', content: Object.fromEntries(content) };
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string');
  return ['string', 'number', 'boolean'].includes(typeof value);
}
