import type { Told } from '../lib/told.ts';
import type { ObjectKind } from '../workspace/git/objects.ts';
import type { Addresses, OtherRepository } from '../workspace/git/other-repositories.ts';
import type { Past } from '../workspace/git/past.ts';
import type { ComparerKind } from '../workspace/git/settings.ts';
import { goesUp } from '../workspace/paths.ts';
import type { Way } from '../workspace/real-path.ts';

/**
 * What a decision must see of the file system besides where links lead. Handed in as a value, so that deciding stays
 * pure; bounded, and untold where the bound was reached or the system refused.
 */
export interface Look {
  /** The same for one decision, which sees each place once. Absent where this is such a one. */
  open?(): Look;
  /** The paths that a shell's pattern becomes. A pattern that it cannot read exactly becomes more, never less. */
  expand(directory: string, pattern: string): Told<readonly string[]>;
  /** What is below a directory, without `.git` and `node_modules`. */
  below(directory: string): Told<Below>;
  /** What is in those two: names that a search comes across as well, though nobody's own credentials are there. */
  vendored(directory: string): Told<Vendored>;
  /** Every name that the kernel passes on an absolute path. */
  way(path: string): Way;
  /** Whether a directory is there, by way of links too. */
  isDirectory(path: string): boolean;
  /** The files that git keeps of the repository around a directory, absolute; empty outside of one. */
  tracked(directory: string): Told<readonly string[]>;
  /** What the repository around a directory ever kept; undefined where that cannot be told in time. */
  past(directory: string): Past | undefined;
  /** What names of revisions lead to in the repository around a directory; undefined where that cannot be told. */
  objectKinds(directory: string, names: readonly string[]): readonly (ObjectKind | undefined)[] | undefined;
  /** Those of the paths that some of these revisions and the index hold and others do not; undefined where that cannot be told. */
  heldBySome(
    directory: string,
    revisions: readonly string[],
    paths: readonly string[],
  ): readonly string[] | undefined;
  /** Whether that repository has notes, which git shows along with commits. */
  hasNotes(directory: string): boolean;
  /**
   * Why git in a directory may show files of another place than the checkout around it. `isNeeded`: without a repository
   * the command takes its operands for files of any kind. Its words may name references; undefined where some are unknown.
   */
  gitStray(directory: string, command: GitWords): string | undefined;
  /** The plain directory that git, run in a directory, takes for its repository; `roots` are where the user opened the workspace. */
  embeddedRepository(directory: string, roots: readonly string[]): string | undefined;
  /** The repositories on this machine that git in a directory reaches by addresses, besides its own. */
  otherRepositories(directory: string, addresses: Addresses): Told<readonly OtherRepository[]>;
  /**
   * Why a known name may run something else than the program of that name, in one of these directories; none where nobody
   * can tell in which.
   */
  otherProgram(name: string, directories: readonly string[], roots: readonly string[]): string | undefined;
  /** What comes along when this is copied or moved as a whole. */
  carried(path: string): Told<Carried>;
  /** The paths below a directory, relative to it, without what is in `.git`. */
  held(directory: string): Told<readonly string[]>;
  /** The credential file in the workspace that is the same file under another name; undefined where there is none. */
  sameFile(path: string): Told<string | undefined>;
  /** Of a file with several names (hard links) the others that are in the workspace; undefined where it has only one. */
  otherNames(path: string): Told<readonly string[] | undefined>;
  /** Files below a directory that have another name in the workspace. */
  linked(directory: string): Told<readonly string[]>;
  /** Those of them that are a credential file under another name. */
  linkedCredentials(directory: string): Told<readonly string[]>;
}

/** A git command, as far as it matters for where its repository is. */
export interface GitWords {
  readonly isNeeded: boolean;
  readonly words: readonly string[] | undefined;
  /** The kinds of programs by which it would compare files. */
  readonly compares?: readonly ComparerKind[];
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
  /** Files and directories that hold credentials by their names, links among them, and all in such directories. */
  readonly credentials: readonly string[];
  /** Links that lead out of the directory, or to a credential file. */
  readonly links: readonly string[];
  /** Links that stay in it. */
  readonly inward: readonly string[];
  /** All directories, without what links lead to. */
  readonly directories: readonly string[];
  /** Names with blanks, quotes or signs of patterns in them: on their way through a pipe they may become others. */
  readonly odd: readonly string[];
  /** Patterns of names that ignore files bring back to a search, though they begin with a dot. */
  readonly unhidden: readonly string[];
}

export type Vendored = Pick<Below, 'links' | 'odd' | 'directories'>;

/** Sees an empty machine: for tests, and for policies that are judged without one. */
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
  embeddedRepository: () => undefined,
  otherRepositories: () => [],
  carried: () => ({ paths: [], hasLinks: false }),
  held: () => [],
  sameFile: () => undefined,
  otherNames: () => undefined,
  linked: () => [],
  linkedCredentials: () => [],
};
