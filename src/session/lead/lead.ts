import type { AgentDefinition } from '../../agents/definition.ts';
import { type SkillScopes, withScope } from '../../knowledge/skill-scope.ts';
import type { Result } from '../../lib/result.ts';
import { ok } from '../../lib/result.ts';
import { addUserMessage } from '../../loop/add-message.ts';
import type { AgentContext, Limits } from '../../loop/agent-context.ts';
import { usualAnswer as budgetedAnswer } from '../../loop/context-room.ts';
import { Conversation } from '../../loop/conversation.ts';
import { applyEffort } from '../../models/effort.ts';
import type { EffortChoice, EffortLevel } from '../../protocol/effort.ts';
import type {
  CostReport,
  Hooks,
  Judge,
  MessageRecord,
  Model,
  Origin,
  PermissionMode,
  Suspension,
  Thinking,
  Tool,
  UserBlock,
} from '../../protocol/index.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import type { StructuredOutput } from '../../tools/structured-output/synthetic-output.ts';
import type { Coordination } from '../coordinator.ts';
import type { Kernel } from '../kernel.ts';
import type { Prompts } from '../knowledge/skill-use.ts';
import type { SessionMcp } from '../mcp/session-mcp.ts';
import type { Models } from '../models.ts';
import type { SessionOptions } from '../options.ts';
import type { LeadPermissions } from '../permissions.ts';
import type { LeadState } from './lead-state.ts';
import type { LeadPlanning } from './plan-mode.ts';

/** The parts that the lead is made of. */
export interface LeadParts {
  options: SessionOptions;
  system: readonly string[];
  tools: readonly Tool[];
  /** The tools that its agents choose from. */
  allTools: readonly Tool[];
  /** The definition that it runs as, if any. */
  definition: AgentDefinition | undefined;
  /** Present if it only directs other agents. */
  coordination: Coordination | undefined;
  output: StructuredOutput | undefined;
  hands: AgentContext['hands'];
  hooks: Hooks | undefined;
  judge: Judge;
  mcp: SessionMcp;
  models: Models;
  permissions: LeadPermissions;
  planning: LeadPlanning;
  prompts: Prompts;
  scopes: SkillScopes;
  state: LeadState;
  maxAgents: number;
}

/** The session's own agent between runs: changes by the user apply from the next call on. */
export class Lead {
  readonly #conversation: Conversation;
  /** The model that a skill asked for last, if any. */
  #other: { name: string; found: Result<Model> } | undefined;
  /** The MCP servers that a coordinator knows of. */
  #servers = '';

  constructor(
    private readonly kernel: Kernel,
    private readonly parts: LeadParts,
  ) {
    this.#conversation = new Conversation(kernel.opening);
  }

  get model(): string {
    return this.parts.state.model.id;
  }

  /** The levels of effort that the model takes, and the one that the user chose. */
  get effort(): EffortChoice {
    const { effort, model } = this.parts.state;
    return { chosen: effort ?? null, levels: model.facts.efforts ?? [] };
  }

  get contextWindow(): number {
    return this.parts.state.model.facts.window;
  }

  /** The session's cost so far, by agent and model. */
  cost(): CostReport {
    return this.parts.models.account.report();
  }

  get permissionMode(): PermissionMode {
    return this.parts.state.mode;
  }

  get tools(): string[] {
    return this.#shownTools().map((tool) => tool.name);
  }

  /** A coordinator has `ExitPlanMode` only in plan mode. */
  #shownTools(): readonly Tool[] {
    const { coordination, tools, mcp } = this.parts;
    const shown = [...tools, ...mcp.shown];
    if (!coordination || this.permissionMode === 'plan') return shown;
    return shown.filter(({ name }) => name !== 'ExitPlanMode');
  }

  /**
   * Found by name although they are not shown. For a coordinator these are all tools, so that its role refuses them and
   * says why.
   */
  #unlisted(): readonly Tool[] {
    const { coordination, allTools, mcp } = this.parts;
    return coordination ? [...allTools, ...mcp.tools()] : mcp.late();
  }

  /** Before a run: informs a coordinator of its workers' MCP servers whenever they have changed. */
  noteServers(names: readonly string[]): void {
    const text = this.parts.coordination?.renderServers(names);
    if (text === undefined || names.join('\n') === this.#servers) return;
    this.#servers = names.join('\n');
    this.kernel.inbox.postQuietly({
      delivery: 'steer',
      content: [{ type: 'text', text }],
      origin: { kind: 'harness' },
    });
  }

  /**
   * Begins a run: from here on other parts find this context under the lead's name, and its signal ends what they do
   * for it.
   */
  enter(signal: AbortSignal): AgentContext {
    const { models, definition, coordination } = this.parts;
    const context = this.createContext(signal);
    this.kernel.roster.enter(null, {
      context,
      account: models.account,
      spawnable: definition?.spawnable,
      coordinates: coordination !== undefined,
    });
    return context;
  }

  /** The value that a run works with. Making one changes nothing, so it can also be made just to look. */
  createContext(running?: AbortSignal): AgentContext {
    const signal = running ?? new AbortController().signal;
    const isRun = running !== undefined;
    const { id, place, settings, inbox, questions } = this.kernel;
    const { options, permissions, system, output, hooks, judge, scopes, prompts, hands } = this.parts;
    const lead = this;
    return {
      agentId: null,
      identity: {
        ...{ sessionId: id, parentToolUseId: null, depth: 0, source: 'lead', chainId: id },
        // In a pane its questions have the name that they have at its leader.
        badge: options.teamMember === undefined ? undefined : { type: 'lead', member: options.teamMember },
      },
      conversation: this.#conversation,
      inbox,
      clock: place.clock,
      ids: place.ids,
      signal,
      get model() {
        return lead.#now(isRun).model;
      },
      system,
      get tools() {
        return lead.#shownTools();
      },
      get unlisted() {
        return lead.#unlisted();
      },
      get thinking() {
        return lead.#now(isRun).thinking;
      },
      get effort() {
        return lead.#now(isRun).effort;
      },
      priority: 'foreground',
      output,
      limits: buildLimits({ ...options, ...this.parts.models.caps }, settings, this.parts.maxAgents),
      // Looked up at every call: a change of mode or a grant applies at once.
      get permissions() {
        return withScope(permissions.context(), scopes.of(null));
      },
      readPrompt: (content, isVerbatim) => prompts.read(content, signal, isVerbatim),
      approval: {
        ask: (question, asked, again) => questions.ask(question, asked, again),
        noteDenial: (denial) => questions.noteDenial(denial),
        noteSkip: (skip) => questions.noteSkip(skip),
        judge: permissions.hasJudge ? judge : undefined,
      },
      get hooks() {
        return scopes.extendHooks(null, hooks);
      },
      hands,
    };
  }

  /** The session's model, or the one that a running skill asks for. */
  #now(isRun: boolean): Pick<AgentContext, 'model' | 'thinking' | 'effort'> {
    const { options, scopes, state, definition } = this.parts;
    const { model: name, effort = state.effort ?? definition?.effort } = scopes.of(null) ?? {};
    const model = (name === undefined ? undefined : this.#find(name, isRun)) ?? state.model;
    const byEffort = effort === undefined ? undefined : applyEffort(effort, model);
    const asked = options.thinking === undefined ? byEffort?.thinking : undefined;
    const thinking = asked ?? chooseLeadThinking(options.thinking, model);
    return { model, thinking, effort: byEffort?.effort };
  }

  /** A model that a skill names; a run warns once if it does not exist. */
  #find(name: string, isRun: boolean): Model | undefined {
    if (this.#other?.name !== name) this.#other = { name, found: this.parts.models.resolve(name) };
    const { found } = this.#other;
    if (!found.ok && isRun) this.kernel.events.warnOnce(`${name}: ${found.problem.message}`);
    return found.ok ? found.value : undefined;
  }

  /** The run in which a skill was used is over, and so is the skill's scope. */
  endSkill(): void {
    this.parts.scopes.end(null);
  }

  /** Messages for the agent before its next prompt. */
  takeInstructions(): string | undefined {
    return this.parts.planning.takeInstructions();
  }

  setMode(mode: PermissionMode): Result<void> {
    return this.parts.state.setMode(mode);
  }

  setModel(name: string | null): Result<void> {
    return this.parts.state.setModel(name);
  }

  setEffort(effort: EffortLevel | null): Result<void> {
    return this.parts.state.setEffort(effort);
  }

  /** A run begins: what is in force is recorded. */
  noteState(): Result<void> {
    this.parts.permissions.noteRun();
    return this.parts.state.note();
  }

  /** Why it sends nothing now, if that is for long. */
  get suspended(): Suspension | undefined {
    return this.parts.state.suspended;
  }

  /** It waits for a limit to reset; undefined: no longer. */
  suspend(suspension: Suspension | undefined): void {
    this.parts.state.suspend(suspension);
  }

  /** The user did something that may have fixed what failed for good. */
  noteUserAction(): void {
    this.parts.state.noteUserAction();
  }

  /** Continues from these messages: what was seen and said after them is forgotten. */
  rewind(messages: readonly MessageRecord[]): void {
    this.#conversation.restart(messages);
    this.suspend(undefined);
    this.parts.hands.files.forget?.();
    this.parts.planning.forget();
  }

  /** Adds messages to the conversation that alone are not a reason to run. */
  hear(content: UserBlock[], origin: Origin, uuid?: string): Result<void> {
    const { log, events } = this.kernel;
    for (const event of addUserMessage(this.createContext(), content, origin, uuid ? { uuid } : {})) {
      const kept = log.keep(event);
      if (!kept.ok) return kept;
      events.tell(event);
    }
    return ok(undefined);
  }

  /** The conversation, as it goes to the model. */
  get conversation(): Conversation {
    return this.#conversation;
  }

  /** Ends of background work, and words that no agent has read. Once recorded, they are delivered when the session is resumed. */
  keepUnread(): void {
    const { inbox, log } = this.kernel;
    const agent = this.createContext();
    for (const { content, origin, uuid, isQuiet, isPassing } of inbox.takeForRun())
      if (!isPassing && (origin.kind === 'task-notification' || isQuiet))
        for (const event of addUserMessage(agent, content, origin, uuid ? { uuid } : {})) log.keep(event);
  }
}

/** Thinking is on where it is known to work, unless the caller says otherwise. */
function chooseLeadThinking(wanted: Thinking | undefined, { facts }: Model): Thinking {
  if (facts.thinking.length === 0) return { type: 'off' };
  return wanted ?? (facts.known ? { type: 'adaptive' } : { type: 'off' });
}

/** No model takes more. */
const maxAnswer = 128_000;

function hasBudget(options: SessionOptions, settings: LoadedSettings): boolean {
  const limits = [options.maxBudgetUsd, options.maxTokens, settings.maxBudgetUsd, settings.maxTokens];
  return limits.some((limit) => limit !== undefined);
}

function buildLimits(options: SessionOptions, settings: LoadedSettings, agentsAtOnce: number): Limits {
  const { questionTimeoutSeconds: seconds } = settings.permissions;
  return {
    // A budget reserves the longest answer that a request may get, so longer ones would keep other agents waiting.
    maxOutputTokens: hasBudget(options, settings) ? budgetedAnswer : maxAnswer,
    maxResultCharacters: 60_000,
    // Agents started in one message have their own limit, which this one must not cut short.
    maxConcurrentCalls: Math.max(10, agentsAtOnce),
    maxTurns: options.maxTurns ?? settings.maxTurns,
    questionTimeoutMs: seconds === undefined ? undefined : seconds * 1000,
    autoCompact: settings.autoCompactEnabled,
    compactAt: settings.autoCompactWindow,
  };
}
