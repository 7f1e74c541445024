import type { HookEvent } from '../protocol/index.ts';

/** What can be said at each event, and how long a hook may take. */
interface EventFacts {
  /** Of a command or a server, in seconds. */
  readonly seconds: number;
  /** What exit code 2 and `decision: "block"` do: keep it from happening, tell the model why, or neither. */
  readonly block: 'stops' | 'tells' | 'nothing';
  /** Output that is no JSON is context for the model. */
  readonly plain?: true;
  /** Matchers say nothing there. */
  readonly unmatched?: true;
}

const usual = 600;

export const eventFacts: Readonly<Record<HookEvent, EventFacts>> = {
  PreToolUse: { seconds: usual, block: 'stops' },
  PostToolUse: { seconds: usual, block: 'tells' },
  PostToolUseFailure: { seconds: usual, block: 'tells' },
  UserPromptSubmit: { seconds: 30, block: 'stops', plain: true, unmatched: true },
  SessionStart: { seconds: usual, block: 'nothing', plain: true },
  // Somebody wants to leave.
  SessionEnd: { seconds: 1.5, block: 'nothing' },
  Stop: { seconds: usual, block: 'stops', unmatched: true },
  SubagentStart: { seconds: usual, block: 'nothing' },
  SubagentStop: { seconds: usual, block: 'stops' },
  PreCompact: { seconds: usual, block: 'stops' },
  PermissionRequest: { seconds: usual, block: 'stops' },
  Notification: { seconds: usual, block: 'nothing' },
  TaskCreated: { seconds: usual, block: 'stops', unmatched: true },
  TaskCompleted: { seconds: usual, block: 'stops', unmatched: true },
};

/** Known to others and not run by this version: a guard that does not act must be known. */
export const laterEvents: readonly string[] = [
  ...['PostToolBatch', 'UserPromptExpansion', 'StopFailure', 'PostCompact', 'PreModelSwitch'],
  ...['PostModelSwitch', 'PermissionDenied', 'Setup', 'TeammateIdle', 'Elicitation', 'ElicitationResult'],
  ...['ConfigChange', 'WorktreeCreate', 'WorktreeRemove', 'InstructionsLoaded', 'CwdChanged'],
  ...['FileChanged', 'DirectoryAdded', 'MessageDisplay'],
];
