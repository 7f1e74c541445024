import type { ComparerKind } from '../../workspace/git-settings.ts';
import type { ShellWord, Sweep } from './types.ts';

/** How a path is used: `enter` shows nothing, `list` names, `read` a file, `search` all files below; `remove` deletes. */
export interface PathUse {
  readonly kind: 'enter' | 'list' | 'read' | 'search' | 'write' | 'remove';
  readonly word: ShellWord;
  /** Of `write`: it only writes into what it opens, so that the null device and the standard streams stay what they are. */
  readonly pours?: true;
  /** Of `write`: an output, as that of a redirection; no rule for the command answers for it. */
  readonly output?: true;
  /** Of `list` and `search`: which names below it come up; `none` shows nothing but the path itself. Absent: all of them. */
  readonly sweep?: Sweep | 'none';
  /** A name that begins with a dash would be an option that reads a further file. */
  readonly optionsRead?: true;
  /** Of `write` and `remove`: a directory counts with all that is in it. */
  readonly whole?: true;
  /** Of what git keeps, of which nothing need be on the disk, and which may be anywhere in the repository. */
  readonly ofGit?: true;
  /** Of what is below it only some. */
  readonly isPart?: true;
  /** It stands for files that no word tells: those that an option names which is not known, or that a list names. */
  readonly isOpen?: true;
  /** Of `read`: where it is a directory, the files in it are read. */
  readonly opensDirectories?: true;
}

/** What one command does by itself: known, with every path it touches, or not known. */
export type Effect =
  | {
      readonly known: true;
      readonly uses: readonly PathUse[];
      readonly git?: GitLook;
      readonly edits?: true;
      readonly carries?: Carrying;
      /** It makes links: a path elsewhere in the line may lead through one that is not there yet. */
      readonly links?: true;
    }
  | {
      readonly known: false;
      readonly reason: string;
      /** A git command that only looks, but for its options: where, as far as is known. */
      readonly git?: Pick<GitLook, 'move'>;
    };

/** What lands elsewhere with all that is in it. */
export interface Carrying {
  readonly sources: readonly ShellWord[];
  readonly target: ShellWord;
}

/** What a git command shows of the files that the repository keeps. */
export interface GitLook {
  readonly shows: 'contents' | 'names' | 'nothing';
  /** The revisions and paths that it names. */
  readonly words: readonly ShellWord[];
  /** Paths after `--`, to which it keeps; undefined when it keeps to none. */
  readonly within?: readonly ShellWord[];
  /** It looks at commits, in which there are files that are no longer kept. */
  readonly history?: true;
  /** Whatever it shows of a commit, of an object that is a file it shows all. */
  readonly opensObjects?: true;
  /** It shows objects as they are: of a commit no file. */
  readonly printsObjects?: true;
  /** It shows notes along with commits. */
  readonly showsNotes?: true;
  /** It looks at files that git does not keep as well. */
  readonly untracked?: true;
  /** Without paths it keeps to the directory that it runs in. */
  readonly isLocal?: true;
  /** Without a repository it compares any files and directories. */
  readonly comparesFiles?: true;
  /** It opens the files of the work tree by name, through links to other directories. */
  readonly opensFiles?: true;
  /** The kinds of programs by which it would compare files, where settings name some. */
  readonly compares?: readonly ComparerKind[];
  /** Where it looks, from the directory of the command, if not there. Each of its values is a text. */
  readonly move?: ShellWord;
}

export const unknown = (reason: string): Effect => ({ known: false, reason });

/** The directory that a command runs in. */
export const here: ShellWord = {
  text: '.',
  values: [{ text: '.', glob: '.', isPattern: false }],
  single: true,
};
