import type { Result } from '../lib/result.ts';
import type { TranscriptRecord } from '../protocol/index.ts';

/** The transcript of one agent. Made at the first record. */
export interface AgentLog {
  append(record: TranscriptRecord): Result<void>;
  close(): void;
}
