import type { Told } from '../lib/told.ts';
import { goesUp } from '../workspace/paths.ts';
import type { Way } from '../workspace/real-path.ts';
import type { Heeded } from './heeded.ts';
import type { RepositoryLook } from './look-repositories.ts';

/**
 * Everything a decision must know about the file system besides link targets. Passed in as a value, so that deciding stays
 * pure; bounded, and untold where the bound was reached or the system refused.
 */
export interface Look extends RepositoryLook {
  /** A look for one decision, which reads each place once. Absent on such a look. */
  open?(): Look;
  /** The paths that a shell pattern expands to. A pattern that it cannot read exactly expands to more, never less. */
  expand(directory: string, pattern: string): Told<readonly string[]>;
  /** Everything below a directory, without `.git` and `node_modules`. */
  below(directory: string): Told<Below>;
  /** The content of those two: a search also finds these names, but the user's own credentials are not there. */
  vendored(directory: string): Told<Vendored>;
  /** Every name the kernel passes on an absolute path. */
  way(path: string): Way;
  /** Whether a directory exists, also through links. */
  isDirectory(path: string): boolean;
  /**
   * Why a known name may run a different program than the one of that name, in one of these directories; none where the
   * directory is unknown.
   */
  otherProgram(name: string, directories: readonly string[], roots: readonly string[]): string | undefined;
  /** Everything that is copied or moved along with this path. */
  carried(path: string): Told<Carried>;
  /**
   * Files in a directory, above it and below it that rg and similar programs open by themselves. `from`: where the program
   * runs.
   */
  heeded(directory: string, from: readonly string[]): Told<readonly Heeded[]>;
  /** The paths below a directory, relative to it, without what is in `.git`. */
  held(directory: string): Told<readonly string[]>;
  /** The credential file in the workspace or the home that is the same file under another name; undefined where none is. */
  sameFile(path: string): Told<string | undefined>;
  /** The other names (hard links) in the workspace of a file with several; undefined where it has only one. */
  otherNames(path: string): Told<readonly string[] | undefined>;
  /** The name of a file with several at or below some places, wherever those are; undefined where none was found. */
  otherNameAt(path: string, places: readonly string[]): string | undefined;
  /** Files below a directory that have another name, in the workspace or elsewhere. */
  linked(directory: string): Told<readonly string[]>;
  /** Those of them that are a credential file under another name. */
  linkedCredentials(directory: string): Told<readonly string[]>;
}

/** The content of a directory that is copied or moved. */
export interface Carried {
  /** Below the path, relative to it; none for a file. */
  readonly paths: readonly string[];
  /** Contains or is a link: elsewhere a link may lead elsewhere. */
  readonly hasLinks: boolean;
  /** Contains or is a file with several names. */
  readonly hasNames?: boolean;
}

export interface Below {
  /** Files and directories that hold credentials by name, including links, and everything in such directories. */
  readonly credentials: readonly string[];
  /** Links that lead out of the directory, or to a credential file. */
  readonly links: readonly string[];
  /** Links that stay in it. */
  readonly inward: readonly string[];
  /** All directories, without link targets. */
  readonly directories: readonly string[];
  /** Names with blanks, quotes or pattern characters: a pipe may turn them into others. */
  readonly odd: readonly string[];
  /** Patterns of dot names that ignore files bring back to a search. */
  readonly unhidden: readonly string[];
}

export type Vendored = Pick<Below, 'links' | 'odd' | 'directories'>;

/** Sees an empty machine: for tests, and for policies that are judged without a machine. */
export const emptyLook: Look = {
  otherProgram: () => undefined,
  expand: () => [],
  below: () => ({ credentials: [], links: [], inward: [], directories: [], odd: [], unhidden: [] }),
  vendored: () => ({ links: [], odd: [], directories: [] }),
  way: (path) => ({ names: [path], turns: goesUp(path) }),
  isDirectory: () => false,
  tracked: () => [],
  past: () => ({ paths: [], commits: new Set() }),
  objectKinds: (_, names) => names.map(() => 'commit'),
  heldBySome: () => [],
  hasNotes: () => false,
  gitStray: () => undefined,
  gitOpens: () => [],
  findCheckout: () => undefined,
  findStore: () => undefined,
  storesBelow: () => [],
  embeddedRepository: () => undefined,
  ownProgram: () => undefined,
  otherRepositories: () => [],
  carried: () => ({ paths: [], hasLinks: false }),
  heeded: () => [],
  held: () => [],
  sameFile: () => undefined,
  otherNames: () => undefined,
  otherNameAt: () => undefined,
  linked: () => [],
  linkedCredentials: () => [],
};
