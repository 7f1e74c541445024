import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Result } from '../lib/result.ts';
import type { Answer, Command, Model, Question, Tool } from '../protocol/index.ts';

/**
 * What a session runs with so that its run goes onto a tape, or comes from one. The session does not know which: it
 * takes its clock, ids and randomness from here, and passes its models, tools, questions and commands through here.
 * Only what comes from outside is on the tape. Permissions, conversation and transcript run in a replay as well; models
 * and tools do not, so that it costs nothing and changes nothing.
 */
export interface Reel {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Real time: for code below a wrapped model or inside a wrapped tool. */
  readonly outsideClock: Clock;
  /** True when nothing outside is asked. */
  readonly isReplay: boolean;
  /**
   * The model of a name, as the session's agents see it: outside pacing and budget, whose waits and refusals are on the
   * tape. `make` is not called in a replay, which needs neither key nor network.
   */
  openModel(name: string, make: () => Result<Model>): Result<Model>;
  /** For tools that touch anything outside. Not for those that run agents, whose actions are on the tape themselves. */
  wrapTool(tool: Tool): Tool;
  /** For whatever answers questions; a replay may have answers although no one attends. */
  wrapQuestions(ask: Ask | undefined): Ask | undefined;
  /** The harness's own observations of the world. A tape from before they were recorded has none. */
  look(of: string, see: () => Promise<string | undefined>): Promise<string | undefined>;
  /** Acts on a command. In a replay it waits for its place on the tape. */
  takeCommand(command: Command, act: () => Result<void>): Result<void>;
  /** In a replay: commands that were given before their place on the tape; undefined if there are none. */
  early(): Promise<void> | undefined;
  /** The session is being closed: in a replay by hand the remaining commands will not come. */
  leave(): void;
  /** In a replay the id of the prompt that comes next; undefined if it has none, or something else comes next. */
  nextPromptId(): string | undefined;
  /** Ends the tape. Reports what could not be written, or where the replay diverged from its recording. */
  finish(): Result<void>;
}

export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>;

export interface ReelParts {
  /** Never on the tape. */
  secrets: readonly string[];
  /** The session's own mask: text that it has masked must come from the tape as the run saw it. */
  hide?(text: string): string;
  /** Strings of this machine by name, such as the working directory: the tape can be replayed where they differ. */
  places: Readonly<Record<string, string>>;
  clock: Clock;
  /** How the session was opened, for its replay. */
  options?: Readonly<Record<string, unknown>>;
  isRepository?: boolean;
}

/** A call's name on the tape. */
export function callName(agentId: string | null, toolUseId: string): string {
  return `${agentId ?? 'lead'} ${toolUseId}`;
}

/** The value as the tape will return it. */
export function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
