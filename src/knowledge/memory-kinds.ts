import type { Problem } from '../lib/result.ts';

export interface MemoryFile {
  path: string;
  /** `user`: written by the user for all projects. `project`: whatever the repository holds. */
  scope: 'user' | 'project';
  text: string;
}

/** A memory file that counts only where files like these are worked on. */
export interface PathRule extends MemoryFile {
  patterns: string[];
}

/** What `rules/` holds. */
export interface MemoryRules {
  /** Those that count everywhere: they stand with the other memory files. */
  files: MemoryFile[];
  byPath: PathRule[];
  problems: Problem[];
}
