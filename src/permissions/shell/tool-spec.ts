/**
 * What is known of one tool: the options with which it changes nothing, and what its operands are. All else is
 * unknown, abbreviated long options among it.
 */
export interface ToolSpec {
  /** Why it is safe with these options, and what was left out. */
  readonly why: string;
  /**
   * Separated by blanks. `-n:` takes a value, `-f<` takes a file that it reads, `--color?` takes one only after `=`.
   * Single letters may be joined.
   */
  readonly flags: string;
  /** `pattern`: the first operand is no file, unless one of `patternFlags` was given. */
  readonly operands: 'paths' | 'names' | 'text' | 'pattern' | 'none';
  readonly patternFlags?: string;
  /** No option at all writes or runs anything: a file whose name reads as an option does no harm. */
  readonly inert?: true;
  /** Without operands it looks at the directory it is in. `deep`: with all that is below. */
  readonly here?: true;
  /** Reads what is in the files below a directory: always, or with one of these options. */
  readonly deep?: true | string;
  /** Takes `-5` for a number of lines. */
  readonly numbers?: true;
  /** At most so many operands. */
  readonly most?: number;
  /** Without one of these it does something else. */
  readonly requires?: string;
  /** What the values of options must look like. */
  readonly values?: Readonly<Record<string, RegExp>>;
  /**
   * A check that no list of options can make, of the pattern where there is one, else of every operand. Undefined
   * stands for a computed one. Returns what is wrong.
   */
  readonly check?: (operand: string | undefined) => string | undefined;
}

export type ToolTable = Readonly<Record<string, ToolSpec>>;
