/**
 * The known facts about one tool: the options with which it changes nothing, and what its operands are. Everything else is
 * unknown, including abbreviated long options unless it `abbreviates`.
 */
export interface ProgramSpec {
  /** Why it is safe with these options, and what was left out. */
  readonly why: string;
  /**
   * Separated by blanks. `-v` takes no value, `-e:` takes text, `-n#` a number, `-f<` a file that it reads, `-o>` one that it
   * writes: joined to the letter, after `=`, or as the next word. `-w?` takes a value only when it is joined or after `=`,
   * `--arg&` the next two words, whatever they are.
   */
  readonly flags: string;
  /**
   * How the program reads a word of several letters. `getopt` (the default): letters, of which the first that takes a value
   * takes the rest of the word or the next word. `leading`: letters without a value, or one letter and its value. `separate`:
   * letters, of which the last may take the next word as its value; nothing is joined to a letter.
   */
  readonly letters?: 'getopt' | 'leading' | 'separate';
  /** The program is allowed, and only its files are judged: other parts of a word may be computed. */
  readonly allowed?: true;
  /**
   * A long option may be abbreviated, as in GNU programs. No other option of the program is the beginning of one in its list.
   */
  readonly abbreviates?: true;
  /** The first operand ends the options: what follows is an operand, whatever it looks like. */
  readonly ordered?: true;
  /** `pattern`: the first operand is not a file, unless one of `patternFlags` was given. */
  readonly operands: 'paths' | 'names' | 'text' | 'pattern' | 'none';
  readonly patternFlags?: string;
  /**
   * No option writes or runs anything, so a file whose name reads as an option does no harm. `looks`: some read another file;
   * patterns are checked for such names.
   */
  readonly inert?: true | 'looks';
  /** Without operands it reads its own directory. `deep`: with everything below. */
  readonly here?: true;
  /** Reads the content of files below a directory: always, or with one of these options. */
  readonly deep?: true | string;
  /** Prints names and not file content: always, or with one of these options. */
  readonly lists?: true | string;
  /** Given a directory, it reads the files in it. */
  readonly opensDirectories?: true;
  /** Reads `-5` as a number of lines. */
  readonly numbers?: true;
  /** Maximum number of operands. */
  readonly most?: number;
  /** The form of every operand, as text or as a shell pattern. */
  readonly named?: RegExp;
  /** If the file is missing, or is not what it should be, it tries the name with each of these suffixes. */
  readonly endings?: readonly string[];
  /** Without one of these it does something else. */
  readonly requires?: string;
  /** The form of option values. */
  readonly values?: Readonly<Record<string, RegExp>>;
  /**
   * A check that no list of options can make: of the patterns where the tool takes one, otherwise of the operands. Undefined
   * is a computed one. Returns the problem.
   */
  readonly check?: (texts: readonly (string | undefined)[]) => string | undefined;
}

export type ToolTable = Readonly<Record<string, ProgramSpec>>;
