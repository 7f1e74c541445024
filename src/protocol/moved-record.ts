import type { PromptBlock } from './message.ts';

/**
 * The session stopped here, at a step. Its next step is taken by the holder that this names, and by no other: the last one counts.
 * It also says what that holder needs and no message has.
 */
export interface MovedRecord {
  type: 'moved';
  timestamp: string;
  /** A job on an engine; null: whoever opens the session on the machine that it came from. */
  to: MovedTo | null;
  /** A run of the lead was in progress. */
  isRunning: boolean;
  /** Prompts that were sent and not read. */
  prompts: MovedPrompt[];
  /** For the agents: where their files are now. */
  note?: string;
  epoch?: number;
}

export interface MovedTo {
  jobId: string;
  /** The engine's address, without a password. */
  engine: string;
  /** The worker or the label that it was sent to. */
  name: string;
}

export interface MovedPrompt {
  content: PromptBlock[];
  uuid?: string;
  delivery: 'steer' | 'queue';
  isVerbatim?: boolean;
  isQuiet?: boolean;
}
