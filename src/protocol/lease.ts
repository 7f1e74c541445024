import type { Result } from '../lib/result.ts';

/** A file that is an agent's to write, for as long as its run lasts. */
export interface Lease {
  /** Where the file really is. */
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
  /** What the file held before its holder's first write; null where there was no file, absent where it was too long to keep. */
  before?: string | null;
}

/** What happened to a file, past the tools that write files, while a command or call ran. */
export interface FileTouch {
  path: string;
  kind: 'created' | 'changed' | 'deleted';
  /** Who had it on lease, if anybody but the one who ran the command. */
  holder?: LeaseHolder;
}

/** The leases as one agent's tools see them. Paths are real ones. */
export interface FileLeases {
  conflict(path: string): LeaseConflict | undefined;
  /**
   * Takes the lease, before the write: nothing can come between. `before` is what the file holds now. What was taken is
   * given back when the write is not made.
   */
  take(path: string, before: string | null | undefined): Result<TakenLease, LeaseConflict>;
  /** Looks for changes to files that agents wrote, from now until `end` is called. */
  watch(toolUseId: string): FileWatch;
}

export interface TakenLease {
  /** `hash` of what was written, where it is known. */
  written(hash?: string): void;
  notWritten(): void;
}

export interface FileWatch {
  /** What whoever ran the command ought to know. Recorded, and told to the holders, by then. */
  end(): string[];
}
