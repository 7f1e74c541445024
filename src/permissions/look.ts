import type { ObjectKind } from '../workspace/git-objects.ts';
import type { Past } from '../workspace/git-past.ts';
import { goesUp } from '../workspace/paths.ts';
import type { Way } from '../workspace/real-path.ts';

/**
 * What a decision must see of the file system besides where links lead. Handed in as a value, so that deciding stays
 * pure; bounded, and undefined where the bound was reached.
 */
export interface Look {
  /** The paths that a shell's pattern becomes. A pattern that it cannot read exactly becomes more, never less. */
  expand(directory: string, pattern: string): readonly string[] | undefined;
  /** What is below a directory, without `.git` and `node_modules`. */
  below(directory: string): Below | undefined;
  /** What is in those two: names that a search comes across as well, though nobody's own credentials are there. */
  vendored(directory: string): Pick<Below, 'links' | 'odd'> | undefined;
  /** Every name that the kernel passes on an absolute path. */
  way(path: string): Way;
  /** Whether a directory is there, by way of links too. */
  isDirectory(path: string): boolean;
  /** The files that git keeps of the repository around a directory, absolute; empty outside of one. */
  tracked(directory: string): readonly string[] | undefined;
  /** What the repository around a directory ever kept; undefined where that cannot be told in time. */
  past(directory: string): Past | undefined;
  /** What names of revisions lead to in the repository around a directory; undefined where that cannot be told. */
  objectKinds(directory: string, names: readonly string[]): readonly (ObjectKind | undefined)[] | undefined;
  /** Whether that repository has notes, which git shows along with commits. */
  hasNotes(directory: string): boolean;
  /**
   * Why git in a directory may show files of another place than the checkout around it. `isNeeded`: without a repository
   * the command takes its operands for files of any kind. Its words may name references; undefined where some are unknown.
   */
  gitStray(directory: string, command: GitWords): string | undefined;
  /** What comes along when this is copied or moved as a whole. */
  carried(path: string): Carried | undefined;
  /** The paths below a directory, relative to it, without what is in `.git`. */
  held(directory: string): readonly string[] | undefined;
  /** The credential file in the workspace that is the same file under another name. */
  sameFile(path: string): string | undefined;
  /** Of a file with several names (hard links) the others that are in the workspace; undefined where it has only one. */
  otherNames(path: string): readonly string[] | undefined;
  /** Files below a directory that have another name in the workspace; undefined where it is too large to tell. */
  linked(directory: string): readonly string[] | undefined;
  /** Those of them that are a credential file under another name. */
  linkedCredentials(directory: string): readonly string[] | undefined;
}

/** A git command, as far as it matters for where its repository is. */
export interface GitWords {
  readonly isNeeded: boolean;
  readonly words: readonly string[] | undefined;
}

/** What is in a directory that is copied or moved. */
export interface Carried {
  /** Below the path, relative to it; none for a file. */
  readonly paths: readonly string[];
  /** A link is among it, or it is one: elsewhere a link may lead elsewhere. */
  readonly hasLinks: boolean;
  /** Files with several names are among it, or it is one. */
  readonly hasNames?: boolean;
}

export interface Below {
  readonly credentials: readonly string[];
  /** Links that lead out of the directory, or to a credential file. */
  readonly links: readonly string[];
  /** Links that stay in it. */
  readonly inward?: readonly string[];
  /** Names with blanks, quotes or signs of patterns in them: on their way through a pipe they may become others. */
  readonly odd: readonly string[];
  /** Patterns of names that ignore files bring back to a search, though they begin with a dot. */
  readonly unhidden?: readonly string[];
}

/** Sees an empty machine: for tests, and for policies that are judged without one. */
export const emptyLook: Look = {
  expand: () => [],
  below: () => ({ credentials: [], links: [], odd: [] }),
  vendored: () => ({ links: [], odd: [] }),
  way: (path) => ({ names: [path], turns: goesUp(path) }),
  isDirectory: () => false,
  tracked: () => [],
  past: () => ({ paths: [], commits: new Set() }),
  objectKinds: (_, names) => names.map(() => 'commit'),
  hasNotes: () => false,
  gitStray: () => undefined,
  carried: () => ({ paths: [], hasLinks: false }),
  held: () => [],
  sameFile: () => undefined,
  otherNames: () => undefined,
  linked: () => [],
  linkedCredentials: () => [],
};
