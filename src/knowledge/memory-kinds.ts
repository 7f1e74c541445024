import type { RealPath } from '../lib/files/real-places.ts';
import type { Problem } from '../lib/result.ts';

export interface MemoryFile {
  path: string;
  /** `user`: written by the user for all projects. `project`: from the repository. */
  scope: 'user' | 'project';
  text: string;
}

/** A memory file that applies only to work on certain files. */
export interface PathRule extends MemoryFile {
  patterns: string[];
}

/** The content of `rules/`. */
export interface MemoryRules {
  /** Those that always apply: they are shown with the other memory files. */
  files: MemoryFile[];
  byPath: PathRule[];
  problems: Problem[];
}

/** Whether a file is left out, by settings or by rules. `isUsers`: it is the user's own. */
export type IsExcluded = (path: string, real: RealPath, isUsers: boolean) => Promise<boolean>;
