import type { RealPath } from '../lib/files/real-places.ts';

/** A file whose text a model gets although no agent asked for it: memory, rules, notes, skills, commands, agent files. */
export interface FileForModel {
  path: string;
  /** Where links lead, and what is then read. */
  real: RealPath;
  /** The repository or plugin that it belongs to; undefined for the user's own files. */
  base?: string | undefined;
  /** Another file names it: an import. Any file could be named. */
  isNamed?: boolean;
}

/** The one judge of such files. Each loader asks before it reads, and reads the real path that was judged. */
export interface FileJudge {
  /** Stands for everything that it judges by, so that nothing that was read under other rules is used again. */
  readonly key: string;
  /** Why a file is not read, by rules and names. Enough for a file that no link leads to. */
  judgePlain(file: FileForModel): string | undefined;
  /** Why a file is not read. A promise only where a link leads to it, or another file names it. */
  judge(file: FileForModel): string | undefined | Promise<string | undefined>;
}
