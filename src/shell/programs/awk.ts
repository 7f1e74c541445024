/**
 * Why an awk program is not known to change nothing. Awk's grammar is not parsed here; a program passes only when none of the
 * characters that could write, run or open appear in it, not even in its strings, and every function that it calls is in a
 * list.
 */
export function findAwkFault(program: string | undefined): string | undefined {
  if (program === undefined) return 'a computed awk program';
  const word =
    /system|getline|close|fflush|ENVIRON|PROCINFO|ARGV|ARGC|SYMTAB|FUNCTAB|function|func\b|@|::|\\\n/.exec(
      program,
    );
  if (word) return `awk with ${JSON.stringify(word[0])} may write files or run programs`;
  if (program.replaceAll('||', '').includes('|')) return 'awk with a pipe in it';
  // Inside braces `>` may be a file; before the first brace nothing can be printed to one.
  const body = program.slice(Math.max(0, program.indexOf('{')));
  if (program.includes('{') && body.replaceAll('>=', '').includes('>')) return 'awk with > in an action';
  const call = [...program.matchAll(/([A-Za-z_]\w*)\(/g)].find(([, name]) => !functions.has(name ?? ''));
  return call ? `awk with ${call[1]} may write files or run programs` : undefined;
}

/** Names that take parentheses in awk and read only their arguments. */
const functions: ReadonlySet<string> = new Set(
  (
    'if while for switch return print printf in exit delete length substr index split sub gsub gensub match sprintf sin ' +
    'cos atan2 exp log sqrt int rand srand tolower toupper strftime systime mktime strtonum asort asorti and or xor ' +
    'lshift rshift compl patsplit isarray typeof'
  ).split(' '),
);
