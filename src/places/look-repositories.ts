import type { Told } from '../lib/told.ts';
import type { ObjectStore } from '../workspace/git/object-stores.ts';
import type { ObjectKind } from '../workspace/git/objects.ts';
import type { Addresses, OtherRepository } from '../workspace/git/other-repositories.ts';
import type { Past } from '../workspace/git/past.ts';
import type { ComparerKind } from '../workspace/git/settings.ts';
import type { GitOpening } from './git-opened.ts';
import type { OwnProgram } from './git-own-programs.ts';

/** Everything a decision must know about git repositories. */
export interface RepositoryLook {
  /** The files tracked by the repository around a directory, absolute; empty outside a repository. */
  tracked(directory: string): Told<readonly string[]>;
  /** Everything the repository around a directory ever tracked; undefined where that cannot be found out in time. */
  past(directory: string): Past | undefined;
  /** The objects that revision names lead to in the repository around a directory; undefined where that is unknown. */
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
   * Why git in a directory may show files from outside the checkout around it. `isNeeded`: without a repository the command
   * reads its operands as files of any kind. Its words may name references; undefined where some are unknown.
   */
  gitStray(directory: string, command: GitWords): string | undefined;
  /** The files that git in a directory opens by itself and may print lines of; untold where its settings cannot be read. */
  gitOpens(directory: string, command: GitOpening): Told<readonly string[]>;
  /** The plain directory that git, run in a directory, takes for its repository; `roots` are where the user opened the workspace. */
  embeddedRepository(directory: string, roots: readonly string[]): string | undefined;
  /** The top of the checkout around a directory; undefined outside of one. */
  findCheckout(directory: string): string | undefined;
  /** The data of a repository that a file holds objects of, by its real path; undefined for any other file. */
  findStore(path: string): ObjectStore | undefined;
  /** The data of repositories at a directory and below it, without that of linked worktrees, which keep no objects. */
  storesBelow(directory: string): Told<readonly ObjectStore[]>;
  /** A program that the repository around a directory sets for itself, and that git runs when it looks at files. */
  ownProgram(directory: string): OwnProgram | undefined;
  /** The repositories on this machine that git in a directory reaches by addresses, besides its own. */
  otherRepositories(directory: string, addresses: Addresses): Told<readonly OtherRepository[]>;
}

/** A git command, reduced to the words that decide where its repository is. */
export interface GitWords {
  readonly isNeeded: boolean;
  readonly words: readonly string[] | undefined;
  /** The kinds of programs it would use to compare files. */
  readonly compares?: readonly ComparerKind[] | undefined;
  /** It needs every entry of the index. */
  readonly expandsIndex?: true | undefined;
  /** It looks into submodules by a git that follows their own settings. */
  readonly entersSubmodules?: true | undefined;
}
