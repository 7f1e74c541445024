import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Result } from '../lib/result.ts';
import type { PermissionContext } from '../permissions/context.ts';
import type { InFlight } from '../permissions/in-flight.ts';
import type {
  AgentEvent,
  AgentEventBody,
  Answer,
  Asker,
  Badge,
  Decision,
  Hooks,
  Judge,
  Model,
  ModelRequest,
  PromptRefusal,
  Question,
  Tool,
  ToolContext,
  UserBlock,
} from '../protocol/index.ts';
import type { Inbox } from '../tasks/inbox.ts';
import type { StructuredOutput } from '../tools/structured-output/synthetic-output.ts';
import type { Conversation } from './conversation.ts';

/**
 * One value per running agent: everything that `query()` and the tools it runs may use. The lead and every child run
 * the same loop over such a value; nothing else differs.
 */
export interface AgentContext extends Readonly<Pick<ModelRequest, 'thinking' | 'effort'>> {
  /** Null for the lead. */
  readonly agentId: string | null;
  readonly identity: AgentIdentity;
  readonly conversation: Conversation;
  readonly inbox: Inbox;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Ends the run: the next await sees it. */
  readonly signal: AbortSignal;
  readonly model: Model;
  /** Rendered once; never changes within a session. */
  readonly system: readonly string[];
  /** In the order in which the model sees them; never changes within a session. */
  readonly tools: readonly Tool[];
  /** Not shown to the model, but found when it calls them by name. */
  readonly unlisted?: readonly Tool[];
  readonly priority: Asker['priority'];
  readonly limits: Limits;
  readonly permissions: PermissionContext;
  /** The user's prompt as the model reads it: with slash commands expanded. A failure means that nothing is to be sent. */
  readPrompt?(content: UserBlock[], isVerbatim: boolean): Promise<Result<UserBlock[], PromptRefusal>>;
  /** The user's hooks for this agent. Absent if there are none. */
  readonly hooks?: Hooks | undefined;
  readonly approval: AgentApproval;
  /** Set if the answer must have a given form; its tool is among `tools`. */
  readonly output?: StructuredOutput | undefined;
  /** The tools' view of this agent, without the call itself. */
  readonly hands: Omit<
    ToolContext,
    'agentId' | 'toolUseId' | 'signal' | 'clock' | 'mayRead' | 'judged' | 'reach' | 'moveRefusal'
  > & {
    /** One for all agents of the session. Absent if nothing runs beside anything else. */
    readonly inFlight?: InFlight;
    /** One for all agents of the session. */
    readonly gate?: StepGate | undefined;
    /** The session's option of this name. */
    readonly journalCopy?: JournalCopy | undefined;
  };
}

interface NamedCall {
  agentId: string | null;
  toolUseId: string;
  toolName: string;
}

/**
 * Asked before a call begins that can change something. Undefined: it begins at once. False, once the signal has fired: it never does,
 * and nothing of it was recorded.
 */
export type StepGate = (call: NamedCall, signal: AbortSignal) => Promise<false> | undefined;

/**
 * Where a session's journal is also kept. Called for a call that can change something, once it is recorded here; it runs if this
 * resolves to true.
 */
export type JournalCopy = (call: NamedCall) => Promise<boolean>;

/** An agent's identity, and where it comes from. */
export interface AgentIdentity {
  readonly sessionId: string;
  /** The tool call that started this agent; null for the lead. */
  readonly parentToolUseId: string | null;
  /** Agents above this one; 0 for the lead. */
  readonly depth: number;
  /** The kind of agent. A fork may not fork again, and this says so even after its history was compacted. */
  readonly source: 'lead' | 'delegate' | 'fork';
  /** Marks all requests of this run, apart from its parent's. */
  readonly chainId: string;
  /** How the user sees this agent. Absent for the lead. */
  readonly badge?: Badge | undefined;
}

/** Who decides what rules leave open, and how it is logged. */
export interface AgentApproval {
  /**
   * Asks the user or program that attends the session; resolves with a denial if there is none. `again` decides the
   * call once more: it is called when something was granted meanwhile, and if a rule allows the call then, that is the
   * answer.
   */
  ask(question: Question, signal: AbortSignal, again?: () => Decision): Promise<Answer>;
  /** Called for every call that was refused. */
  noteDenial?(denial: Denial): Promise<void>;
  /** A hook's word replaces the user's. It is logged, and counts only if that worked; its grants are then in force. */
  noteSkip?(skip: HookSkip): Promise<Result<void>>;
  /** Answers in `auto` mode what rules leave open. If absent, the user is asked. */
  readonly judge?: Judge | undefined;
}

/** A call that a hook allowed without a question, by its word or by answering the question. */
export interface HookSkip extends Denial {
  answered?: { question: Question; answer: Answer };
}

export interface Denial {
  agentId: string | null;
  tool: string;
  input: Record<string, unknown>;
  decision: Decision;
}

export interface Limits {
  /** Model calls in one run; undefined is no limit. */
  maxTurns?: number | undefined;
  /** Largest answer asked of the model. */
  maxOutputTokens: number;
  /** Characters of one tool result that enter the context; the rest stays in a file. */
  maxResultCharacters: number;
  /** Tool calls of one message that may run in parallel. */
  maxConcurrentCalls: number;
  /** How long a question waits; by default ten minutes for a background agent, without limit in the foreground. */
  questionTimeoutMs?: number | undefined;
  /** False compacts only on request; a request that does not fit then ends the run. */
  autoCompact?: boolean | undefined;
  /**
   * Tokens of context at which the conversation is compacted. Can only lower the limit that follows from the model's
   * window.
   */
  compactAt?: number | undefined;
}

/** Marks an event with the agent it came from. */
export function markEvent(agent: AgentContext, body: AgentEventBody): AgentEvent {
  return { agentId: agent.agentId, parentToolUseId: agent.identity.parentToolUseId, ...body };
}
