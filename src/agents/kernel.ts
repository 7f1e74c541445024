import type { SkillScopes } from '../knowledge/skill-scope.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Result } from '../lib/result.ts';
import type { AgentApproval } from '../loop/agent-context.ts';
import type {
  AgentEvent,
  AgentReport,
  Answer,
  Outcome,
  Question,
  RunningTask,
  TaskRecord,
  Tool,
  ToolCounts,
} from '../protocol/index.ts';
import type { AgentSettings } from '../settings/loaded.ts';
import type { Letter } from '../tasks/inbox.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { Leases } from '../workspace/leases.ts';
import type { AgentLog } from './agent-log.ts';
import type { AgentDefinition } from './definition.ts';
import type { Roster } from './roster.ts';
import type { Slots } from './slots.ts';
import type { AgentSpec, LoadedAgent } from './spec.ts';
import type { Teams } from './teams.ts';

/**
 * What running agents share with the session around them. One value per session, used by every agent at every depth.
 * What is specific to one agent comes from the steps.
 */
export interface AgentKernel {
  readonly sessionId: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: AgentSettings;
  readonly definitions: readonly AgentDefinition[];
  readonly roster: Roster;
  readonly tasks: Tasks;
  readonly slots: Slots;
  /** The scope of a running skill, by agent. */
  readonly scopes: SkillScopes;
  /** Which agent writes which file. */
  readonly leases: Leases;
  readonly questions: AgentQuestions;
  readonly records: AgentRecords;
  /** The steps that complete a spec, in this order. Clean-up is the reverse. */
  readonly steps: readonly AgentStep[];
  /** Where agents can run, by name; `here` is always included. */
  readonly placements: ReadonlyMap<string, Placement>;
  /** Where agents run whose call and definition do not say it; absent is this process. */
  readonly usualPlace?: string | undefined;
  /** Absent where there can be no team. */
  readonly teams?: Teams | undefined;
  /** All tools, unfiltered, in their stable order. */
  tools(): readonly Tool[];
  publish(event: AgentEvent): void;
  /** Shown to the user once per message. */
  notice(text: string): void;
  /**
   * A small model's opinion of a result: what it would have its reader do, if that is suspicious. Absent without a
   * model.
   */
  judgeHandoff?: ((text: string) => Promise<string | undefined>) | undefined;
}

/** How agents ask questions, and how denials are logged. */
export interface AgentQuestions extends AgentApproval {
  /** A question of the harness itself, without a tool call of the loop: it is also published. */
  propose(question: Question, signal: AbortSignal): Promise<Answer>;
  /** Whether somebody is there to answer. */
  isAttended(): boolean;
  /** Whether the agent waits for the user's answer. */
  isAsking(agentId: string): boolean;
}

/** The transcripts of agents. */
export interface AgentRecords {
  open(agentId: string): AgentLog;
  load(agentId: string): Promise<Result<LoadedAgent>>;
  /** An agent ends: its report with the verdicts of now, since it may have gone on working after it reported. */
  judgeAgain(agentId: string, report: AgentReport): Promise<AgentReport>;
  /** The letter about an agent's own task that ended, or was cut off, while the agent did not run. */
  lateLetter(task: TaskRecord): Letter;
  /** About calls of its own whose messages are damaged. */
  lostLetter(lost: readonly string[]): Letter;
}

/** The steps that complete a spec, in this order. Steps of features come after them. */
export const stepOrder = [
  'type',
  'cost',
  'model',
  'tools',
  'permissions',
  'place',
  'knowledge',
  'servers',
  'hooks',
] as const;

/** One step of completing a spec. */
export interface AgentStep {
  readonly name: string;
  /** Sets its part of the spec. A problem ends the start: the steps before it are released. */
  complete(spec: AgentSpec, agents: AgentKernel, signal: AbortSignal): Result<void> | Promise<Result<void>>;
  /** Releases what it took. Called once, however the agent ended. */
  release?(spec: AgentSpec): void | Promise<void>;
}

/** Where an agent runs: in this process, in a pane, on another machine. */
export interface Placement {
  readonly name: string;
  /** Its agents keep running there when the session ends, and are found again by the next process of the session. */
  readonly keepsRunning?: boolean;
  /** Looks at what it needs before the agent starts. A problem is the answer to the call that wanted it. */
  prepare?(agents: AgentKernel, spec: AgentSpec, signal: AbortSignal): Promise<Result<void>>;
  /** Runs the agent to its end. Always resolves, with an outcome that says how it ended. */
  run(agents: AgentKernel, spec: AgentSpec, task: RunningTask): Promise<AgentRun>;
}

/** How a run of an agent ended. */
export interface AgentRun {
  outcome: Outcome;
  toolUses: number;
  totalTokens: number;
  durationMs: number;
  tools: ToolCounts;
  /** Its last report with claims. */
  report?: AgentReport | undefined;
}
