import type { ComparerKind } from '../../workspace/git/settings.ts';
import type { ShellWord, Sweep } from '../grammar/types.ts';

/** How a path is used: `enter` shows nothing, `list` names, `read` a file, `search` all files below; `remove` deletes. */
export interface PathUse {
  readonly kind: 'enter' | 'list' | 'read' | 'search' | 'write' | 'remove';
  readonly word: ShellWord;
  /** For `write`: it only writes into what it opens, so the null device and the standard streams stay what they are. */
  readonly pours?: true;
  /** For `write`: an output, like that of a redirection; no rule for the command covers it. */
  readonly output?: true;
  /** For `list` and `search`: the names below it that are found; `none` shows only the path itself. Absent: all of them. */
  readonly sweep?: Sweep | 'none';
  /** A name that begins with a dash would be an option that reads another file. */
  readonly optionsRead?: true;
  /** For `write` and `remove`: a directory includes everything in it. */
  readonly whole?: true;
  /** Tracked files, which need not be on disk, and may be anywhere in the repository. */
  readonly ofGit?: true;
  /** Only some of the entries below it. */
  readonly isPart?: true;
  /** It represents files that no word names: those of an unknown option, or of a list. */
  readonly isOpen?: true;
  /** For `read`: if it is a directory, the files in it are read. */
  readonly opensDirectories?: true;
}

/** The effect of one command itself: known, with every path it touches, or unknown. */
export type Effect =
  | {
      readonly known: true;
      readonly uses: readonly PathUse[];
      readonly git?: GitLook;
      readonly edits?: true;
      readonly carries?: Carrying;
      /** It creates links: a path elsewhere in the line may lead through one that does not exist yet. */
      readonly links?: true;
    }
  | {
      readonly known: false;
      readonly reason: string;
      /** A git command that only reads, except for its options: where, as far as known. */
      readonly git?: Pick<GitLook, 'move'>;
    };

/** Sources that land elsewhere with everything in them. */
export interface Carrying {
  readonly sources: readonly ShellWord[];
  readonly target: ShellWord;
  /** What links lead to lands there, and not the links: of all that are met, or of sources that are links themselves. */
  readonly follows?: 'all' | 'sources';
}

/** The tracked files that a git command shows. */
export interface GitLook {
  readonly shows: 'contents' | 'names' | 'nothing';
  /** The revisions and paths that it names. */
  readonly words: readonly ShellWord[];
  /** Paths after `--`, to which it is limited; undefined without a limit. */
  readonly within?: readonly ShellWord[];
  /** It reads commits, which contain files that are no longer tracked. */
  readonly history?: true;
  /** Whatever it shows of a commit, it shows all of an object that is a file. */
  readonly opensObjects?: true;
  /** It shows commits, even where each of its words names a file of one. */
  readonly showsCommits?: true;
  /** It shows objects as they are: no file of a commit. */
  readonly printsObjects?: true;
  /** It shows notes along with commits. */
  readonly showsNotes?: true;
  /** It also reads untracked files. */
  readonly untracked?: true;
  /** Without paths it is limited to its own directory. */
  readonly isLocal?: true;
  /** It compares what it names with the index or the checkout: where that is a tree, with all of them. */
  readonly comparesTrees?: true;
  /** Without a repository it compares any files and directories. */
  readonly comparesFiles?: true;
  /** It opens the files of the work tree by name, through links to other directories. */
  readonly opensFiles?: true;
  /** It needs every entry of the index, also where some stand for whole directories. */
  readonly expandsIndex?: true;
  /** It looks into the work trees of submodules, by a git that follows their own settings, whatever is set against it. */
  readonly entersSubmodules?: true;
  /** The kinds of programs it would use to compare files, where settings name some. */
  readonly compares?: readonly ComparerKind[];
  /** The directory it reads, relative to the command's, if different. Each of its values is text. */
  readonly move?: ShellWord;
}

export const unknown = (reason: string): Effect => ({ known: false, reason });

/** The directory that a command runs in. */
export const here: ShellWord = {
  text: '.',
  values: [{ text: '.', glob: '.', isPattern: false }],
  single: true,
};
