import type { HookEvent } from '../protocol/index.ts';

/** A hook's options at each event, and how long it may take. */
interface EventFacts {
  /** Of a command or a server, in seconds. */
  readonly seconds: number;
  /** The effect of exit code 2 and `decision: "block"`: prevent the event, explain it to the model, or neither. */
  readonly block: 'stops' | 'tells' | 'nothing';
  /** Output that is not JSON is context for the model. */
  readonly plain?: true;
  /** Matchers are held against names of tools. */
  readonly ofTools?: true;
  /** Matchers have no effect there. */
  readonly unmatched?: true;
}

const usual = 600;

export const eventFacts: Readonly<Record<HookEvent, EventFacts>> = {
  PreToolUse: { seconds: usual, block: 'stops', ofTools: true },
  PostToolUse: { seconds: usual, block: 'tells', ofTools: true },
  PostToolUseFailure: { seconds: usual, block: 'tells', ofTools: true },
  UserPromptSubmit: { seconds: 30, block: 'stops', plain: true, unmatched: true },
  SessionStart: { seconds: usual, block: 'nothing', plain: true },
  // The user wants to leave.
  SessionEnd: { seconds: 1.5, block: 'nothing' },
  Stop: { seconds: usual, block: 'stops', unmatched: true },
  SubagentStart: { seconds: usual, block: 'nothing' },
  SubagentStop: { seconds: usual, block: 'stops' },
  PreCompact: { seconds: usual, block: 'stops' },
  PermissionRequest: { seconds: usual, block: 'stops', ofTools: true },
  Notification: { seconds: usual, block: 'nothing' },
  TaskCreated: { seconds: usual, block: 'stops', unmatched: true },
  TaskCompleted: { seconds: usual, block: 'stops', unmatched: true },
};

/** Known to other products but not run by this version: a guard that does not act must be reported. */
export const laterEvents: readonly string[] = [
  ...['PostToolBatch', 'UserPromptExpansion', 'StopFailure', 'PostCompact', 'PreModelSwitch'],
  ...['PostModelSwitch', 'PermissionDenied', 'Setup', 'TeammateIdle', 'Elicitation', 'ElicitationResult'],
  ...['ConfigChange', 'WorktreeCreate', 'WorktreeRemove', 'InstructionsLoaded', 'CwdChanged'],
  ...['FileChanged', 'DirectoryAdded', 'MessageDisplay'],
];
