import type { AssistantMessage, UserMessage } from './message.ts';
import type { PermissionMode } from './permission.ts';

/**
 * One line of a transcript. The format is ours and versioned (`docs/formats.md`); the fields of message
 * records are those that readers of the ecosystem's transcripts expect.
 */
export const transcriptFormat = 1;

interface RecordBase {
  uuid: string;
  /** The message before this one in its conversation; null for the first. */
  parentUuid: string | null;
  sessionId: string;
  /** ISO 8601, from the injected clock. */
  timestamp: string;
  /** The agent whose conversation this is; absent for the lead. */
  agentId?: string;
  /** True in the transcript of anybody but the lead. */
  isSidechain: boolean;
}

/** Who is behind a user-role message. Only `human` is a person. */
export type Origin =
  | { kind: 'human' }
  | { kind: 'tool-results' }
  | { kind: 'task-notification'; runId: string }
  | { kind: 'harness' };

export interface UserRecord extends RecordBase {
  type: 'user';
  message: UserMessage;
  origin: Origin;
}

export interface AssistantRecord extends RecordBase {
  type: 'assistant';
  message: AssistantMessage;
}

export type MessageRecord = UserRecord | AssistantRecord;

/** First line of every transcript. */
export interface HeaderRecord {
  type: 'cadre-transcript';
  format: number;
  sessionId: string;
  cwd: string;
  version: string;
  createdAt: string;
  agentId?: string;
  forkedFrom?: { sessionId: string; messageUuid: string | null };
}

/** What was in force from here on; the last one counts on resume. */
export interface StateRecord {
  type: 'session-state';
  timestamp: string;
  model: string;
  permissionMode: PermissionMode;
  cwd: string;
}

/** Where a file's earlier content is kept, written before the edit that changes it. */
export interface FileHistoryRecord {
  type: 'file-history';
  timestamp: string;
  toolUseId: string;
  path: string;
  /** Hash naming the kept bytes; null when the file did not exist. */
  before: string | null;
}

/** A person's or program's name for the session. */
export interface TitleRecord {
  type: 'custom-title';
  customTitle: string;
  sessionId: string;
}

export type TranscriptRecord = HeaderRecord | MessageRecord | StateRecord | FileHistoryRecord | TitleRecord;
