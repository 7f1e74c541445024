import { thinkingFor as thinkingByEffort } from '../agents/effort.ts';
import type { Roster } from '../agents/roster.ts';
import { type SkillScope, withScope } from '../knowledge/skill-scope.ts';
import { remind } from '../lib/harness-tags.ts';
import { ok, type Result } from '../lib/result.ts';
import { addUserMessage } from '../loop/add-message.ts';
import type { AgentContext, Limits } from '../loop/agent-context.ts';
import { Conversation } from '../loop/conversation.ts';
import { planInstructions } from '../modes/plan-mode.ts';
import type {
  AgentEventBody,
  CostReport,
  Hooks,
  Judge,
  MessageRecord,
  Model,
  Origin,
  PermissionMode,
  Thinking,
  Tool,
  UserBlock,
} from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { Inbox } from '../tasks/inbox.ts';
import { checkJudge, noJudge } from './judge.ts';
import type { SessionLog } from './log.ts';
import type { SessionOptions } from './options.ts';
import type { SessionQuestions } from './questions.ts';
import { readPrompt } from './read-prompt.ts';
import type { Settled } from './settled.ts';

/** What the lead needs of the session around it. */
export interface LeadWiring {
  /** What was said before. */
  opening: readonly MessageRecord[];
  inbox: Inbox;
  questions: SessionQuestions;
  judge: Judge;
  log: SessionLog;
  hands: AgentContext['hands'];
  roster: Roster;
  hooks: Hooks | undefined;
  publish(body: AgentEventBody): void;
  /** Not shown to the model, but found when it calls them by name. */
  lateTools(): readonly Tool[];
}

/** The session's own agent, as it stands between runs: what the user changes here counts from the next call on. */
export class Lead {
  readonly #settled: Settled;
  readonly #wiring: LeadWiring;
  readonly #conversation: Conversation;
  #model: Model;
  #noted = '';
  /** The model that a skill asked for last, if there is such a one. */
  #other: { name: string; model?: Model } | undefined;
  #instructed = false;
  /** The MCP servers that a coordinator was told of. */
  #servers = '';

  constructor(settled: Settled, wiring: LeadWiring) {
    this.#settled = settled;
    this.#wiring = wiring;
    this.#conversation = new Conversation(wiring.opening);
    this.#model = settled.models.current;
  }

  get model(): string {
    return this.#model.id;
  }

  get contextWindow(): number {
    return this.#model.facts.window;
  }

  /** What the session has cost so far, by agent and model. */
  cost(): CostReport {
    return this.#settled.models.account.report();
  }

  get permissionMode(): PermissionMode {
    return this.#settled.permissions.mode;
  }

  get tools(): string[] {
    return this.#shownTools().map((tool) => tool.name);
  }

  /** A coordinator has `ExitPlanMode` only while there is a plan mode to leave. */
  #shownTools(): readonly Tool[] {
    const { coordination, tools } = this.#settled;
    if (!coordination || this.permissionMode === 'plan') return tools;
    return tools.filter(({ name }) => name !== 'ExitPlanMode');
  }

  /** Found by name although they are not shown. For a coordinator all there are, so that its role refuses them and says why. */
  #unlisted(): readonly Tool[] {
    const { coordination, allTools } = this.#settled;
    return coordination ? [...allTools, ...this.#wiring.lateTools()] : this.#wiring.lateTools();
  }

  /** What a command or skill limits is for whoever touches things, which a coordinator does not. */
  #scope(): SkillScope | undefined {
    const scope = this.#settled.skills.scopes.of(null);
    if (!scope || !this.#settled.coordination) return scope;
    const { tools: _, ...others } = scope;
    return others;
  }

  /** Before a run: tells a coordinator which MCP servers its workers have, whenever that has changed. */
  noteServers(names: readonly string[]): void {
    const text = this.#settled.coordination?.renderServers(names);
    if (text === undefined || names.join('\n') === this.#servers) return;
    this.#servers = names.join('\n');
    this.#wiring.inbox.postQuietly({
      delivery: 'steer',
      content: [{ type: 'text', text }],
      origin: { kind: 'harness' },
    });
  }

  /** Begins a run: from here on others find this context under the lead's name, and its signal ends what they do for it. */
  enter(signal: AbortSignal): AgentContext {
    const { models, main, coordination } = this.#settled;
    const context = this.createContext(signal);
    const spawnable = main?.spawnable;
    this.#wiring.roster.enter(null, {
      context,
      account: models.account,
      ...(spawnable ? { spawnable } : {}),
      ...(coordination ? { coordinates: true as const } : {}),
    });
    return context;
  }

  /** The value that a run works with. Making one changes nothing, so that it can also be made just to look. */
  createContext(signal: AbortSignal = new AbortController().signal): AgentContext {
    const { identity, around, options, permissions, system, settings, output, agents } = this.#settled;
    const { hooks } = this.#wiring;
    const { scopes } = this.#settled.skills;
    const lead = this;
    return {
      agentId: null,
      sessionId: identity.id,
      parentToolUseId: null,
      depth: 0,
      source: 'lead',
      chainId: identity.id,
      conversation: this.#conversation,
      inbox: this.#wiring.inbox,
      clock: around.clock,
      ids: around.ids,
      signal,
      get model() {
        return lead.#now().model;
      },
      system,
      get tools() {
        return lead.#shownTools();
      },
      get unlisted() {
        return lead.#unlisted();
      },
      get thinking() {
        return lead.#now().thinking;
      },
      priority: 'foreground',
      ...(output ? { output } : {}),
      limits: limitsFor(options, settings, agents.settings.maxConcurrent),
      // Looked up at every call: a change of mode or a grant counts at once.
      get permissions() {
        return withScope(permissions.context(), lead.#scope());
      },
      readPrompt: (content) => readPrompt(this.#settled, content, signal),
      ask: (question, asked, again) => this.#wiring.questions.ask(question, asked, again),
      noteDenial: (denial) => this.#wiring.questions.noteDenial(denial),
      noteSkip: (skip) => this.#wiring.questions.noteSkip(skip),
      ...(permissions.hasJudge ? { judge: this.#wiring.judge } : {}),
      get hooks() {
        return scopes.hooksOf(null, hooks);
      },
      hands: this.#wiring.hands,
    };
  }

  /** The session's model, or what a skill that runs asks for in its place. */
  #now(): { model: Model; thinking: Thinking } {
    const { options, skills, models } = this.#settled;
    const { model: name, effort } = skills.scopes.of(null) ?? {};
    if (name !== undefined && this.#other?.name !== name) {
      const found = models.resolve(name);
      if (!found.ok) skills.services().notice(`${name}: ${found.problem.message}`);
      this.#other = { name, ...(found.ok ? { model: found.value } : {}) };
    }
    const model = (name === undefined ? undefined : this.#other?.model) ?? this.#model;
    const thinking =
      effort === undefined ? thinkingFor(options.thinking, model) : thinkingByEffort(effort, model);
    return { model, thinking };
  }

  /** The run in which a skill was used is over, and so is what the skill asked for. */
  endSkill(): void {
    this.#settled.skills.scopes.end(null);
  }

  get planFile(): string {
    return this.#settled.permissions.planFile;
  }

  /** The approved plan's mode: the one from before, unless the user chose another along with the yes. */
  leavePlan(mode: PermissionMode | undefined): PermissionMode {
    const { permissions } = this.#settled;
    const wanted = mode ?? permissions.modeBeforePlan;
    if (permissions.mode === 'plan') this.setMode(wanted === 'plan' ? 'default' : wanted);
    return permissions.mode;
  }

  /** The agent has been told what plan mode is. */
  noteInstructed(): void {
    this.#instructed = true;
  }

  /** What the agent must be told before its next prompt; once for each time that plan mode begins. */
  takeInstructions(): string | undefined {
    if (this.permissionMode !== 'plan') this.#instructed = false;
    if (this.permissionMode !== 'plan' || this.#instructed) return undefined;
    this.#instructed = true;
    const text = this.#settled.coordination?.planInstructions ?? planInstructions(this.planFile);
    return remind(text);
  }

  setMode(mode: PermissionMode): Result<void> {
    const { permissions } = this.#settled;
    const judged = mode === 'auto' ? checkJudge(this.#settled) : ok(undefined);
    if (!judged.ok) return judged;
    const changed = permissions.setMode(mode);
    if (!changed.ok) return changed;
    // In the middle of a run too: what a crash cuts off goes on as it was. A failure is told at the next run.
    if (this.#noted !== '') this.noteState();
    this.#wiring.publish({ type: 'mode_changed', permissionMode: mode });
    if (mode === 'auto' && !permissions.hasJudge)
      this.#wiring.publish({ type: 'notice_given', level: 'warning', text: noJudge });
    return changed;
  }

  /** Null goes back to the model that the session started with. */
  setModel(name: string | null): Result<void> {
    const resolved = this.#settled.models.resolve(name);
    if (!resolved.ok) return resolved;
    this.#model = resolved.value;
    const { id, facts } = this.#model;
    this.#wiring.publish({ type: 'model_changed', model: id, contextWindow: facts.window });
    return ok(undefined);
  }

  /** Written at the first run and whenever something changed, so that resuming finds what was in force. */
  noteState(): Result<void> {
    const { around, main, coordination } = this.#settled;
    const state = {
      model: this.model,
      permissionMode: this.permissionMode,
      cwd: around.cwd,
      ...(main && !coordination ? { agent: main.name } : {}),
      ...(coordination ? { sessionMode: 'coordinator' as const } : {}),
      ...(this.permissionMode === 'plan' ? { planFile: this.planFile } : {}),
    };
    const text = JSON.stringify(state);
    if (text === this.#noted) return ok(undefined);
    const written = this.#wiring.log.noteState(state);
    if (written.ok) this.#noted = text;
    return written;
  }

  /** Goes on with these messages: what was seen and said behind them does not count any more. */
  rewind(messages: readonly MessageRecord[]): void {
    this.#conversation.restart(messages);
    this.#wiring.hands.files.forget?.();
    this.#instructed = false;
  }

  /** Adds to the conversation what is no reason to run by itself. */
  hear(content: UserBlock[], origin: Origin): Result<void> {
    const agent = this.createContext();
    for (const event of addUserMessage(agent, content, origin)) {
      const kept = this.#wiring.log.keep(event);
      if (!kept.ok) return kept;
      this.#wiring.publish(event);
    }
    return ok(undefined);
  }

  /** What has been said, as it goes to the model. */
  get conversation(): Conversation {
    return this.#conversation;
  }

  /** Ends of background work that nobody read any more: recorded, they are delivered when the session goes on. */
  keepUnread(): void {
    const agent = this.createContext();
    for (const { content, origin } of this.#wiring.inbox.takeForRun())
      if (origin.kind === 'task-notification')
        for (const event of addUserMessage(agent, content, origin)) this.#wiring.log.keep(event);
  }
}

/** Thinking is on where it is known to work, unless the caller says otherwise. */
function thinkingFor(wanted: Thinking | undefined, { facts }: Model): Thinking {
  if (facts.thinking.length === 0) return { type: 'off' };
  return wanted ?? (facts.known ? { type: 'adaptive' } : { type: 'off' });
}

function limitsFor(options: SessionOptions, settings: LoadedSettings, agentsAtOnce: number): Limits {
  const maxTurns = options.maxTurns ?? settings.maxTurns;
  return {
    maxOutputTokens: 32_000,
    maxResultCharacters: 60_000,
    // Agents of one message have a limit of their own, which this one must not cut short.
    maxConcurrentCalls: Math.max(10, agentsAtOnce),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(settings.permissions.questionTimeoutSeconds === undefined
      ? {}
      : { questionTimeoutMs: settings.permissions.questionTimeoutSeconds * 1000 }),
    ...(settings.autoCompactEnabled === undefined ? {} : { autoCompact: settings.autoCompactEnabled }),
    ...(settings.autoCompactWindow === undefined ? {} : { compactAt: settings.autoCompactWindow }),
  };
}
