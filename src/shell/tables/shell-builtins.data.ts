/** Names that every shell knows without a program. Apart from the judge's tables, which are loaded for the first command. */
export const shellBuiltins: ReadonlySet<string> = new Set(
  ': [ break cd continue echo exit false jobs printf pwd read return set shift test times true type wait'.split(
    ' ',
  ),
);
