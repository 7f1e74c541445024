import type { AgentMemory } from '../knowledge/agent-memory.ts';
import type { SkillHands } from '../knowledge/expand-skill.ts';
import type { SkillScopes } from '../knowledge/skill-scope.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Result } from '../lib/result.ts';
import type { AgentContext, Denial, HookSkip } from '../loop/agent-context.ts';
import type { Account } from '../models/budget/account.ts';
import type { Caps } from '../models/budget/caps.ts';
import type {
  AgentEvent,
  AgentRecord,
  Answer,
  FileLeases,
  Hooks,
  Judge,
  LetterRecord,
  MessageRecord,
  Model,
  Rule,
  TaskRecord,
  Tool,
} from '../protocol/index.ts';
import type { Letter } from '../tasks/inbox.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { Leases } from '../workspace/leases.ts';
import type { AgentLog } from './agent-log.ts';
import type { AgentServers } from './agent-servers.ts';
import type { AgentDefinition } from './definition.ts';
import type { Roster } from './roster.ts';
import type { AgentSettings } from './settings.ts';
import type { Slots } from './slots.ts';
import type { AgentWorktrees } from './worktrees.ts';

/**
 * What running agents need of the session around them. One value per session; every agent, however deep, uses the
 * same one.
 */
export interface AgentServices {
  readonly sessionId: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: AgentSettings;
  readonly definitions: readonly AgentDefinition[];
  readonly roster: Roster;
  readonly tasks: Tasks;
  readonly slots: Slots;
  /** All tools there are, before anybody's filter, in their stable order. */
  tools(): readonly Tool[];
  /** The MCP servers that agents of this type bring along; undefined where they bring none. */
  openServers?(definition: AgentDefinition): AgentServers | undefined;
  /** A model that pays from this account. Null is the parent's own. */
  model(name: string | null, parent: Model, account: Account): Result<Model>;
  account(parent: Account, agentId: string, caps: Caps): Account;
  /** The system prompt of a delegate: its definition's text, the environment, memory unless left out. */
  renderSystem(definition: AgentDefinition, model: string, cwd: string): string[];
  /**
   * Has the commands run that stand in the skills an agent of this definition begins with, in its name. Gives the part of its
   * prompt that this replaces, and what takes its place; undefined where there are none to run.
   */
  runPreloaded?(
    definition: AgentDefinition,
    hands: (userHome: string) => SkillHands,
  ): Promise<[before: string, after: string] | undefined>;
  /** What git says of a directory, for the end of a delegate's system prompt; undefined where it goes without. */
  gitStatus?(definition: AgentDefinition, cwd: string): Promise<string | undefined>;
  /** What an agent of this definition keeps between its runs; undefined where it keeps nothing, or may not. */
  memoryOf(definition: AgentDefinition): AgentMemory | undefined;
  /** What holds for each agent while a skill runs. */
  readonly scopes: SkillScopes;
  openLog(agentId: string): AgentLog;
  loadAgent(agentId: string): Promise<Result<LoadedAgent>>;
  /** What an agent is told of a task of its own that ended, or was cut off, while it was not there. */
  lateLetter(task: TaskRecord): Letter;
  /** Allow rules that count for this agent: files and command line, what was granted to the session, and to it alone. */
  rules(agentId: string): readonly Rule[];
  /** The agent's run is over: what was granted to it alone goes with it. */
  forgetGrants(agentId: string): void;
  readonly bypassAllowed: boolean;
  ask: AgentContext['ask'];
  /** A question of the harness's own, which no call of the loop stands behind: it is also published, so that every surface sees it. */
  propose: AgentContext['ask'];
  /** Whether the agent waits for a person's word. */
  isAsking(agentId: string): boolean;
  /** What an agent is told that plans by itself, with the file for its plan. */
  planInstructions(agentId: string): string;
  noteDenial(denial: Denial): Promise<void>;
  noteSkip(skip: HookSkip): Promise<Result<void>>;
  /** Judges in `auto` mode; absent without a model for it. */
  readonly judge?: Judge;
  /** A small model's word on a result: what it would have its reader do, if that is suspicious. Absent without a model. */
  judgeHandoff?(text: string): Promise<string | undefined>;
  /** Agents whose own plan was approved: their definition's plan mode is over. */
  readonly approvedPlans: Set<string>;
  /** Plans of workers that wait for their leader, by the id of the request. */
  readonly planRequests: Map<string, WaitingPlan>;
  /** The one file that an agent in a plan mode of its own may write. */
  planFile(agentId: string): string;
  /** What users said about edits by agents of each type. */
  readonly editLeave: Map<string, Promise<boolean>>;
  /** What was said about starting the agents of each message. */
  readonly fanOuts: Map<string, Promise<string | undefined>>;
  /** What agents have cost in this session, and how many they were. */
  costSoFar(): CostSoFar;
  /** True where a person at a terminal answers questions, so that one may be put before an agent begins. */
  readonly isInteractive: boolean;
  /** Worktrees for agents that work apart; absent where there can be none, as on a tape. */
  readonly worktrees?: AgentWorktrees;
  /** The hooks of one agent, with those of its definition; undefined where there are none. */
  hooksFor?(agent: HookedChild): Hooks | undefined;
  /** Who writes which file; absent where nobody writes beside another. */
  readonly leases?: Leases;
  /** The same as an agent's tools see it. */
  fileLeases?(agentId: string): FileLeases;
  publish(event: AgentEvent): void;
  /** Whether anybody wants the pieces of a child's answers as they come. */
  readonly streamsChildren: boolean;
  /** What was said once about models and need not be said again. */
  readonly said: Set<string>;
  /** Shown to the user once per text. */
  notice(text: string): void;
}

/** A worker's plan, which its leader approves and not the user. */
export interface WaitingPlan {
  agentId: string;
  answer(answer: Answer): void;
}

/** Whose hooks are wanted. */
export interface HookedChild {
  id: string;
  type: string;
  parentToolUseId: string;
  definition?: AgentDefinition;
}

/** What agents of this session have cost so far. */
export interface CostSoFar {
  agents: number;
  usd: number;
}

/** An agent as its transcript has it. */
export interface LoadedAgent {
  state: AgentRecord;
  /** Its own messages; a fork's inherited ones are before them. */
  messages: MessageRecord[];
  /** To be written before anything new. */
  repairs: MessageRecord[];
  /** Background tasks of its own whose end it was never told. */
  untold: TaskRecord[];
  /** What came for it and was not read. */
  unread: LetterRecord[];
}
