import { type Told, untold } from '../../lib/told.ts';

/** One thing that a word may become. `glob` is the same as a pattern, with what is meant literally escaped. */
export interface Value {
  readonly text: string;
  readonly glob: string;
  /** A pattern that the shell replaces by names of files. */
  readonly isPattern: boolean;
  /** Which files' names it may become, where a search found them. */
  readonly sweep?: Sweep;
  /** A name that a search found is a part of it. */
  readonly pieces?: Pieces;
  /** It is a name that is made; untold where the pattern behind it is not known. */
  readonly made?: Told<MadeName>;
}

/** A name that is made from those which a pattern finds, with text around it: it need not exist. */
export interface MadeName {
  readonly before: string;
  readonly glob: string;
  readonly after: string;
  /** Of what the pattern finds only the last name counts. */
  readonly isLast?: true;
}

/** How names were taken, and where they were found: one with a blank in it may have become several. */
export interface Pieces {
  readonly taken: Sweep['taken'];
  readonly from: readonly string[];
  /** The names come from git's index: their files need not exist. */
  readonly tracked?: true;
  /** Only what this pattern of the shell finds there. */
  readonly glob?: string;
}

/** Which names of files a search comes across. */
export interface Sweep {
  readonly deep: boolean;
  /** Names that begin with a dot, and what is in such directories. */
  readonly hidden: boolean;
  /** Patterns of which a name must match one, or none. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  /** Nothing but what git keeps today, by the names in its index. */
  readonly tracked?: true;
  /** Each name ends with a zero byte, which a shell drops: only `xargs -0` takes such names apart. */
  readonly zero?: true;
  /**
   * How the names are taken: each whole, by the line, by xargs (blanks, quotes and backslashes count) or as words of
   * the shell (blanks and patterns count).
   */
  readonly taken?: 'whole' | 'line' | 'xargs' | 'words';
  /** The directories that the search ran in. */
  readonly from?: readonly string[];
  /** There may be no name at all, or an empty line among them: joined with a text it would be another path. */
  readonly mayBeEmpty?: true;
  /** It goes where links lead. */
  readonly follows?: boolean;
  /** It opens ignore files (`.gitignore`, `.ignore`) wherever they lead, and prints lines of theirs that it cannot read. */
  readonly heeds?: true;
}

/** All that stands below. */
export const everything: Sweep = { deep: true, hidden: true };

/** Commits that a command prints, one each line and nothing else, by revisions of the text that say as much of them. */
export interface Revisions {
  /**
   * `HEAD` for what `git rev-parse HEAD` prints. For commits of a history it is the revision that they are counted from: which
   * of them does not matter for what may be shown.
   */
  readonly texts: readonly string[];
  /** It prints one at most. */
  readonly isOne: boolean;
  /** Printed by the beginnings of their ids: git takes a branch or a tag of that name first. */
  readonly isShort: boolean;
  /** Where git was asked. In another repository the same id may be anything. */
  readonly from: string;
}

export interface ShellWord {
  /** As written. */
  readonly text: string;
  /** All that the word may become; undefined when it is computed from what is not in the text. */
  readonly values?: readonly Value[];
  /** What it may become as far as the text says, where that is not proved: good enough to refuse by. */
  readonly guesses?: readonly Value[];
  /** It becomes exactly one word, whatever happens. */
  readonly single: boolean;
  /** Outside of quotes it holds text that is not known: if that is a pattern, the names of any files come of it. */
  readonly mayMatch?: true;
  /** Computed, but nothing in it can be a pattern: numbers, hashes, dates. */
  readonly isPlain?: true;
  /** Computed, but nothing else than commits that git printed by their ids. */
  readonly revisions?: Revisions;
  /** Computed from names that a search found, cut outside of quotes: which they are is known, what became of them is not. */
  readonly pieces?: readonly Pieces[];
  /** Computed, since a name that a search finds in the workspace becomes another one, or several, on its way. */
  readonly isBroken?: true;
  /** Computed, but no option. */
  readonly isOperand?: true;
  /** What comes in by a pipe is in it. */
  readonly isInput?: true;
  /** It holds the value of a variable of the environment, which may be a secret. */
  readonly environment?: boolean;
}

export interface Assignment {
  readonly name: string;
  readonly word?: ShellWord;
  /** Of an array. */
  readonly elements?: readonly ShellWord[];
}

export interface Redirect {
  readonly access: 'read' | 'write';
  readonly target: ShellWord;
}

/** A command of a script, with what it would run by itself. */
export interface SimpleCommand {
  readonly words: readonly ShellWord[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  /** Texts that the line itself gives it to read: here-documents and here-strings. */
  readonly input?: readonly string[];
  /** The directories that it may run in; empty when nobody can tell. */
  readonly directories: readonly string[];
  /** Then these are only a guess, good enough to refuse by. */
  readonly isAstray?: true;
  /** What comes in by a pipe are names of files that a search in the workspace found. */
  readonly takesNames: Sweep | undefined;
  /** One of its streams is sent where another goes: messages may be among what it prints. */
  readonly mixes?: true;
  /** Commands that this one runs: behind `timeout`, `xargs`, `find -exec`, in `sh -c` and `eval`. */
  readonly inner: readonly SimpleCommand[];
  readonly wrapper?: Wrapper;
}

export interface Wrapper {
  /** `through`: nothing but what is inside. `runs`: has an effect of its own. `opaque`: what it runs is not all seen. */
  readonly kind: 'through' | 'runs' | 'opaque';
  readonly reason?: string;
  /** It runs a script that comes in by a pipe or a redirection: any command may be in it. */
  readonly isFed?: true;
}

/** Commands, by their numbers, that do not run once and in the order of the text. */
export interface Overlap {
  readonly from: number;
  /** The first that is no longer one of them. */
  readonly to: number;
  /** The first that surely begins after they have ended; infinite for what the shell does not wait for. */
  readonly until: number;
  /** `beside`: at the same time. `again`: any number of times. `endless`: for as long as the loop likes. */
  readonly how: 'beside' | 'again' | 'endless';
}

export interface ParsedShell {
  /** In the order of the text: of lists, pipelines, loops, functions, substitutions. */
  readonly commands: readonly SimpleCommand[];
  readonly overlaps: readonly Overlap[];
  /** Why the script as a whole is not known. */
  readonly problems: readonly string[];
  /** Some of it could not even be read: a command may stand there that nobody sees. */
  readonly isUnread: boolean;
  /** It may evaluate a text, as arithmetic does, in which a command may stand that nobody sees. */
  readonly runsUnseen: boolean;
}

export function readLiteral(word: ShellWord | undefined): string | undefined {
  const only = word?.values?.length === 1 && word.single ? word.values[0] : undefined;
  return only && !only.isPattern ? only.text : undefined;
}

/** The one text that a word becomes; untold where it is computed, a pattern, or may become several words. */
export function tellText(word: ShellWord | undefined): Told<string> {
  return readLiteral(word) ?? untold;
}

/** Whether a command could take the word, or one that it becomes, for an option. */
export function mayBeOption(word: ShellWord): boolean {
  if (word.isOperand) return false;
  return word.values === undefined || word.values.some(({ glob }) => /^(?:-|[*?[@+!(]|$)/.test(glob));
}

/** Names of files in the workspace, as a search or a pattern finds them. */
export const anyName: Value = { text: '**', glob: '**', isPattern: true };

export function buildFoundName(sweep: Sweep, taken: NonNullable<Sweep['taken']>): Value {
  return { ...anyName, sweep: { ...sweep, taken } };
}

/** Whether a name becomes another one, or several, on its way from a list of names to a command. */
export function isBroken(name: string, taken: Sweep['taken']): boolean {
  switch (taken) {
    case 'line':
      return name.includes('\n');
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

/** Whether a rule is about a command; `maybe` where the text does not say. */
export type Match = 'yes' | 'maybe' | 'no';
