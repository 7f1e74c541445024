import type { Result } from '../lib/result.ts';

/** A file that only one agent may write, for as long as its run lasts. */
export interface Lease {
  /** The file's real path. */
  path: string;
  holder: LeaseHolder;
  /** When it was first written, ISO 8601. */
  since: string;
  writes: number;
}

export interface LeaseHolder {
  /** Null is the lead. */
  agentId: string | null;
  type: string;
  description?: string;
}

/** Another agent has the file. */
export interface LeaseConflict extends Lease {
  /**
   * The file's content before its holder's first write; null if there was no file, absent if it was too long to keep.
   */
  before?: string | null;
}

/** A change to a file, by other means than the file tools, while a command or call ran. */
export interface FileTouch {
  path: string;
  kind: 'created' | 'changed' | 'deleted';
  /** The agent that had it on lease, if it is not the one that ran the command. */
  holder?: LeaseHolder;
}

/** The leases as one agent's tools see them. Paths are real ones. */
export interface FileLeases {
  conflict(path: string): LeaseConflict | undefined;
  /**
   * Takes the lease, before the write: nothing can come between. `before` is the file's current content. The lease is
   * released if the write is not made.
   */
  take(path: string, before: string | null | undefined): Result<TakenLease, LeaseConflict>;
  /** Looks for changes to files that agents wrote, from now until `end` is called. */
  watch(toolUseId: string): FileWatch;
}

export interface TakenLease {
  /** `hash` of what was written, if known. */
  written(hash?: string): void;
  notWritten(): void;
}

export interface FileWatch {
  /** Notes for the agent that ran the command. By then they are recorded, and the holders are notified. */
  end(): string[];
}
