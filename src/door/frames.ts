import type { CommandEntry } from '../knowledge/command-source.ts';
import type { Problem } from '../lib/result.ts';
import type { EffortChoice } from '../protocol/effort.ts';
import type {
  AgentEvent,
  Command,
  CostReport,
  PermissionMode,
  Question,
  SessionState,
  Suspension,
  TaskView,
} from '../protocol/index.ts';

/** The frames of a session's door: one JSON object per line, each way. `docs/formats.md` has every field. */
export const doorProtocol = 1;

/** The largest line of a client: a prompt with images. Before its hello much less. */
export const maxCommandBytes = 32 * 1024 * 1024;
export const maxHelloBytes = 64 * 1024;

/** The largest line that a client must be able to read. */
export const maxFrameBytes = 256 * 1024 * 1024;

/** The kinds of events that a client wants: those named, or all. */
export type WantedEvents = 'all' | readonly AgentEvent['type'][];

/** The first line of a client. */
export interface HelloFrame {
  type: 'hello';
  protocol: number;
  /** The name of the program, for people who investigate a problem. */
  client: string;
  /** None unless given. */
  events?: WantedEvents | undefined;
  /** The last cursor that it saw in an earlier connection: events since then come first. */
  since?: string | undefined;
}

export interface CommandFrame {
  type: 'command';
  /** Repeated in the reply. */
  id: string;
  command: Command;
}

export type ClientFrame = HelloFrame | CommandFrame;

/** The session's state when a client connects. */
export interface DoorView {
  sessionId: string;
  cwd: string;
  state: SessionState;
  model: string;
  permissionMode: PermissionMode;
  /** Null if the session keeps none. */
  transcript: string | null;
  /** Running tasks, and those that ended last. */
  tasks: TaskView[];
  /** Questions that wait for an answer. */
  questions: Question[];
  /** Present while the lead waits for a limit to reset. Agents have it in their tasks. */
  suspended?: Suspension | undefined;
  /** A run of the lead is in progress. */
  isLeadRunning: boolean;
  /** Up to now, with all agents. */
  cost: CostReport;
  effort: EffortChoice;
  /** Of the model, in tokens. */
  contextWindow: number;
  /** The slash commands and skills that the user can type. */
  commands: CommandEntry[];
  /** Where its agents exchange files; null without one. */
  scratchpad: string | null;
}

export interface WelcomeFrame extends DoorView {
  type: 'welcome';
  protocol: number;
  /** Of Cadre. */
  version: string;
  pid: number;
  /** Where the events that follow begin. */
  cursor: string;
  /**
   * False: the missed events are no longer kept, or the client asked for none. It starts with the state in this frame.
   */
  resumed: boolean;
}

/** Pieces of answers and of output have no cursor: a client that is behind does not get them. */
export interface EventFrame {
  type: 'event';
  cursor?: string | undefined;
  event: AgentEvent;
}

export interface ReplyFrame {
  type: 'reply';
  id: string;
  problem?: Problem | undefined;
}

/** Something is wrong with a line or with the client; unless it is a `line`, the door closes the connection. */
export interface ErrorFrame {
  type: 'error';
  /** `behind`: the client was too slow. It may connect again, and starts with the state in the welcome. */
  kind: 'line' | 'behind' | 'refused';
  message: string;
}

/** The session ends. */
export interface ByeFrame {
  type: 'bye';
}

export type DoorFrame = WelcomeFrame | EventFrame | ReplyFrame | ErrorFrame | ByeFrame;

/** An event as a line. A tool's data for programs may not be JSON: then it is left out. */
export function encodeEvent(event: AgentEvent, cursor?: string): Uint8Array {
  try {
    return encodeFrame({ type: 'event', cursor, event });
  } catch {
    return encodeFrame({ type: 'event', cursor, event: withoutToolData(event) });
  }
}

function withoutToolData(event: AgentEvent): AgentEvent {
  return event.type === 'message_added' ? { ...event, toolData: undefined } : event;
}

/** Some readers take U+2028 and U+2029 for line ends. */
export function encodeFrame(frame: DoorFrame | ClientFrame): Uint8Array {
  const text = JSON.stringify(frame).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return Buffer.from(`${text}\n`);
}
