import type { ProjectFiles } from '../project-files.ts';
import type { FoundCheck } from '../types.ts';

/** What one directory's files say about checks. */
export type Finder = (directory: string, listing: ProjectFiles, root: string) => FoundCheck[];
