import { type Told, untold } from '../../lib/told.ts';
import { resolvePath } from '../../workspace/paths.ts';

/** One value that a word may become. `glob` is the same as a pattern, with literal parts escaped. */
export interface Value {
  readonly text: string;
  readonly glob: string;
  /** A pattern that the shell replaces by file names. */
  readonly isPattern: boolean;
  /** The files whose names it may become, where a search found them. */
  readonly sweep?: Sweep;
  /** It contains a name that a search found. */
  readonly pieces?: Pieces;
  /** It is a new name; untold where the pattern behind it is unknown. */
  readonly made?: Told<MadeName>;
}

/** A name made from those that a pattern finds, with text around it: it need not exist. */
export interface MadeName {
  readonly before: string;
  readonly glob: string;
  readonly after: string;
  /** Only the last component of the found names is used. */
  readonly isLast?: true;
}

/** How names were read, and where they were found: one with a blank in it may have become several. */
export interface Pieces {
  readonly taken: Sweep['taken'];
  readonly from: readonly string[];
  /** The names come from git's index: their files need not exist. */
  readonly tracked?: true;
  /** Only what this shell pattern finds there. */
  readonly glob?: string;
  /** Only files whose last name fits one of these patterns. */
  readonly only?: readonly string[];
}

/** The file names that a search finds. */
export interface Sweep {
  readonly deep: boolean;
  /** Dot names, and everything in such directories. */
  readonly hidden: boolean;
  /** Patterns of files that it takes though their names begin with a dot; it does not enter such directories for them. */
  readonly dotted?: readonly string[];
  /** Patterns of which a name must match one, or none. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** Only tracked files, by the names in git's index. */
  readonly tracked?: true;
  /** Each name ends with a zero byte, which a shell drops: only `xargs -0` splits such names. */
  readonly zero?: true;
  /**
   * How the names are read: each whole, by the line, by a line without the blanks at its ends, by xargs (blanks, quotes and
   * backslashes are special) or as words of the shell (blanks and patterns are special).
   */
  readonly taken?: 'whole' | 'line' | 'trimmed' | 'xargs' | 'words';
  /** The directories that the search ran in; of a value, the places in them where it began. */
  readonly from?: readonly string[];
  /** Where it began, if that is plain text: each name is one of these, or below it. */
  readonly starts?: readonly string[];
  /** There may be no name at all, or an empty line among them: joined with text it would be another path. */
  readonly mayBeEmpty?: true;
  /** It follows links. */
  readonly follows?: boolean;
  /** It enters no directory of the name `.git`. */
  readonly passesGit?: true;
  /** Of a file that is not text it prints no content. */
  readonly textOnly?: true;
  /** It opens ignore files (`.gitignore`, `.ignore`) wherever they lead, and prints lines of them that it cannot read. */
  readonly heeds?: true;
}

/** Everything below. */
export const everything: Sweep = { deep: true, hidden: true };

/** Commits that a command prints, one per line and nothing else, as revisions of the text that are equivalent for judging. */
export interface Revisions {
  /**
   * `HEAD` for the output of `git rev-parse HEAD`. For commits of a history it is the revision that they are counted from:
   * which of them does not matter for what may be shown.
   */
  readonly texts: readonly string[];
  /** It prints at most one. */
  readonly isOne: boolean;
  /** Printed by the beginnings of their ids: git prefers a branch or a tag of that name. */
  readonly isShort: boolean;
  /** The directory where git was asked. In another repository the same id may be anything. */
  readonly from: string;
}

export interface ShellWord {
  /** As written. */
  readonly text: string;
  /** Everything that the word may become; undefined when it is computed from something outside the text. */
  readonly values?: readonly Value[];
  /** Possible results according to the text, without proof: good enough for a refusal. */
  readonly guesses?: readonly Value[];
  /** It becomes exactly one word, whatever happens. */
  readonly single: boolean;
  /** Outside quotes it contains unknown text: if that is a pattern, it may become the names of any files. */
  readonly mayMatch?: true;
  /** Computed, but nothing in it can be a pattern: numbers, hashes, dates. */
  readonly isPlain?: true;
  /** Computed, but only commits that git printed by their ids. */
  readonly revisions?: Revisions;
  /** Computed from names that a search found, cut outside quotes: the names are known, the results are not. */
  readonly pieces?: readonly Pieces[];
  /** Computed, because a name that a search finds in the workspace becomes another one, or several, on its way. */
  readonly isBroken?: true;
  /** Computed, but not an option. */
  readonly isOperand?: true;
  /** It contains piped input. */
  readonly isInput?: true;
  /** It contains the value of an environment variable, which may be a secret. */
  readonly environment?: boolean;
}

export interface Assignment {
  readonly name: string;
  readonly word?: ShellWord;
  /** The elements of an array. */
  readonly elements?: readonly ShellWord[];
}

export interface Redirect {
  readonly access: 'read' | 'write';
  readonly target: ShellWord;
}

/** A command of a script, with the commands it runs itself. */
export interface SimpleCommand {
  readonly words: readonly ShellWord[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  /** Input that the line itself gives it: here-documents and here-strings. */
  readonly input?: readonly string[];
  /** The directories that it may run in; empty when unknown. */
  readonly directories: readonly string[];
  /** Then these are only a guess, good enough for a refusal. */
  readonly isAstray?: true;
  /** Its piped input is file names that a search in the workspace found. */
  readonly takesNames: Sweep | undefined;
  /** One of its streams is sent to another: messages may be in its output. */
  readonly mixes?: true;
  /** Commands that this one runs: after `timeout`, `xargs`, `find -exec`, in `sh -c` and `eval`. */
  readonly inner: readonly SimpleCommand[];
  readonly wrapper?: Wrapper;
}

export interface Wrapper {
  /** `through`: only the inner commands. `runs`: has its own effect. `opaque`: not everything it runs is visible. */
  readonly kind: 'through' | 'runs' | 'opaque';
  readonly reason?: string;
  /** It runs a script that comes from a pipe or a redirection: it may contain any command. */
  readonly isFed?: true;
}

/** Commands, by their numbers, that do not run once and in the order of the text. */
export interface Overlap {
  readonly from: number;
  /** The first that is no longer one of them. */
  readonly to: number;
  /** The first that certainly begins after they have ended; infinite for those the shell does not wait for. */
  readonly until: number;
  /** `beside`: at the same time. `again`: any number of times. `endless`: for as long as the loop runs. */
  readonly how: 'beside' | 'again' | 'endless';
}

export interface ParsedShell {
  /** In the order of the text: from lists, pipelines, loops, functions, substitutions. */
  readonly commands: readonly SimpleCommand[];
  readonly overlaps: readonly Overlap[];
  /** Why the script as a whole is not known. */
  readonly problems: readonly string[];
  /** Some of it could not even be parsed: it may contain an unseen command. */
  readonly isUnread: boolean;
  /** It may evaluate text, as arithmetic does, that may contain an unseen command. */
  readonly runsUnseen: boolean;
}

export function readLiteral(word: ShellWord | undefined): string | undefined {
  const only = word?.values?.length === 1 && word.single ? word.values[0] : undefined;
  return only && !only.isPattern ? only.text : undefined;
}

/** The only text that a word becomes; untold where it is computed, a pattern, or may become several words. */
export function tellText(word: ShellWord | undefined): Told<string> {
  return readLiteral(word) ?? untold;
}

/** Whether a command could take the word, or one that it becomes, for an option. */
export function mayBeOption(word: ShellWord): boolean {
  if (word.isOperand) return false;
  return word.values === undefined || word.values.some(({ glob }) => /^(?:-|[*?[@+!(]|$)/.test(glob));
}

/** File names in the workspace, as a search or a pattern finds them. */
export const anyName: Value = { text: '**', glob: '**', isPattern: true };

export function buildFoundName(sweep: Sweep, taken: NonNullable<Sweep['taken']>): Value {
  return { ...anyName, sweep: { ...sweep, taken } };
}

/** One for each place where the search began. */
export function buildFoundNames(
  { starts, ...sweep }: Sweep,
  taken: NonNullable<Sweep['taken']>,
): readonly Value[] {
  if (!starts) return [buildFoundName(sweep, taken)];
  return starts.map((start) => {
    const from = sweep.from?.map((directory) => resolvePath(directory, start));
    return placeBelow(start, buildFoundName(from ? { ...sweep, from } : sweep, taken));
  });
}

/** The name of this place, or of anything below it. */
export function placeBelow(glob: string, found: Value): Value {
  const names = `${glob.replace(/\/+$/, '')}/**`;
  return { ...found, text: names, glob: names };
}

/** Whether a name becomes another one, or several, on its way from a list of names to a command. */
export function isBroken(name: string, taken: Sweep['taken']): boolean {
  switch (taken) {
    case 'line':
      return name.includes('\n');
    case 'trimmed':
      return /^\s|\s$|\n/.test(name);
    case 'xargs':
      return /[\s'"\\]/.test(name);
    case 'words':
      return /[\s\\*?[]/.test(name);
    default:
      return false;
  }
}

export function literalWord(text: string): ShellWord {
  return { text, values: [literalValue(text)], single: true };
}

export function literalValue(text: string): Value {
  return { text, glob: text.replace(/[\\*?[\]]/g, '\\$&'), isPattern: false };
}

/** Whether a rule applies to a command; `maybe` where the text does not say. */
export type Match = 'yes' | 'maybe' | 'no';
