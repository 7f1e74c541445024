import type { AgentServers } from '../agents/agent-servers.ts';
import type { AgentDefinition } from '../agents/definition.ts';
import type { McpPool } from '../mcp/pool.ts';
import type { ServerStatus } from '../mcp/status.ts';
import type { AgentEventBody, Answer, Question, Tool } from '../protocol/index.ts';
import { fillSection } from '../settings/environment.ts';
import { settingsTable } from '../settings/table/settings.ts';
import { isAttended } from './attended.ts';
import { mainTools } from './main-agent.ts';
import { changeQuestion, elicitAnswer, elicitQuestion } from './mcp-questions.ts';
import type { Settled } from './settled.ts';
import { isDenied } from './tool-pool.ts';

export interface McpWiring {
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  publish(body: AgentEventBody): void;
  /** The lead has other tools from its next run on. */
  leadTools(tools: readonly Tool[]): void;
}

/**
 * The session's hold on MCP. Nothing of the room is loaded before a server is named. What the lead is shown is settled
 * when its first run begins, and after that changes only by somebody's wish: its requests keep their beginning.
 */
export class SessionMcp {
  #pool: McpPool | undefined;
  #opening: Promise<McpPool> | undefined;
  #shown: readonly Tool[] = [];
  /** Tools that are about all servers. */
  #helpers: readonly Tool[] = [];
  #isSettled = false;
  #isStale = false;
  #openServers: ((definition: AgentDefinition, pool: McpPool) => AgentServers | undefined) | undefined;
  readonly #end = new AbortController();

  constructor(
    private readonly settled: Settled,
    private readonly wiring: McpWiring,
  ) {
    settled.mcp.commands.expect(() => this.#opening);
  }

  /** Begins to connect, if there is anything to connect to. */
  start(): void {
    if (this.settled.mcp.isWanted) void this.pool();
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

  /** For agents, which choose afresh: all that there is now. */
  tools(): readonly Tool[] {
    return this.#pool ? this.#allowed([...this.#pool.tools(), ...this.#helpersOf(this.#pool)]) : [];
  }

  /** What came after the lead's list was settled: it is found by name, through the tool that stands for it. */
  late(): readonly Tool[] {
    const shown = new Set(this.#shown.map((tool) => tool.name));
    return this.#pool ? this.#ofLead(this.#pool.tools()).filter((tool) => !shown.has(tool.name)) : [];
  }

  status(): ServerStatus[] {
    return this.#pool?.status() ?? [];
  }

  openServers(definition: AgentDefinition): AgentServers | undefined {
    return this.#pool && this.#openServers?.(definition, this.#pool);
  }

  async close(): Promise<void> {
    this.#end.abort();
    const pool = await this.#opening;
    await pool?.close();
  }

  async #open(): Promise<McpPool> {
    const { settled } = this;
    const { around, settings, identity } = settled;
    const environment = { ...around.environment, ...settings.env };
    const asking = () => ({
      id: around.ids.uuid(),
      sessionId: identity.id,
      cwd: around.cwd,
      askedAt: around.clock.now(),
    });
    const { openPool } = await import('./open-pool.ts');
    const { pool, helpers, openServers, watch } = openPool({
      settled,
      environment,
      owner: identity.id,
      startupWaitMs: await this.#startupWait(),
      approve: async (server, changed) => {
        const answer = await this.#ask(changeQuestion(asking(), server, changed));
        return answer?.behaviour === 'allow';
      },
      elicit: async (elicitation, signal) => {
        const answer = await this.#ask(elicitQuestion(asking(), elicitation), signal);
        return answer ? elicitAnswer(answer) : { action: 'decline' };
      },
      notice: (text) => this.wiring.publish({ type: 'notice_given', level: 'warning', text }),
      chosen: () => {
        this.#isStale = true;
      },
    });
    this.#pool = pool;
    this.#helpers = helpers;
    this.#openServers = openServers;
    Object.assign(settled.mcp.watching, {
      watch,
      plainName: (server: string) => pool.find(server)?.plainName,
      names: () => pool.names(),
    });
    settled.mcp.commands.bind(pool);
    if (this.#end.signal.aborted) await pool.close();
    else pool.start();
    return pool;
  }

  /** Undefined where nobody would answer. */
  async #ask(question: Question, signal = this.#end.signal): Promise<Answer | undefined> {
    if (!isAttended(this.settled.options) || this.#end.signal.aborted) return undefined;
    this.wiring.publish({ type: 'question_asked', question });
    const answer = await this.wiring.ask(question, signal);
    const { behaviour } = answer;
    this.wiring.publish({ type: 'question_answered', questionId: question.id, behaviour });
    return answer;
  }

  async #show(pool: McpPool): Promise<void> {
    const late = pool.unknown();
    const { lateTool } = await import('../mcp/late-tool.ts');
    this.#shown = this.#ofLead([
      ...pool.tools(),
      ...this.#helpersOf(pool),
      ...(late.length > 0 ? [lateTool(pool, late, (tools) => this.#ofLead(tools)) as Tool] : []),
    ]);
    this.wiring.leadTools(this.#shown);
  }

  /** A pool that holds only what agents bring along has nothing to list. */
  #helpersOf(pool: McpPool): readonly Tool[] {
    return pool.names().length > 0 ? this.#helpers : [];
  }

  #ofLead(tools: readonly Tool[]): Tool[] {
    const { main } = this.settled;
    const allowed = this.#allowed(tools);
    return main ? mainTools(main, allowed) : allowed;
  }

  #allowed(tools: readonly Tool[]): Tool[] {
    const { rules } = this.settled.permissions.context();
    return tools.filter((tool) => !isDenied(tool.name, rules));
  }

  async #startupWait(): Promise<number> {
    const { around, settings } = this.settled;
    return fillSection(settingsTable.mcp.section, settings.mcp, around.environment).startupWaitMs;
  }
}
