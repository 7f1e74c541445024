/**
 * Why an awk program is not known to change nothing. Awk's grammar is not read here; a program passes only when the
 * letters of what could write, run or open are nowhere in it, not even in its strings.
 */
export function faultOfAwk(program: string | undefined): string | undefined {
  if (program === undefined) return 'an awk program that is computed';
  const word =
    /system|getline|close|fflush|ENVIRON|PROCINFO|ARGV|ARGC|SYMTAB|FUNCTAB|function|func\b|@|\\\n/.exec(
      program,
    );
  if (word) return `awk with ${JSON.stringify(word[0])} is not known to change nothing`;
  if (program.replaceAll('||', '').includes('|')) return 'awk with a pipe in it';
  // Inside of braces `>` may be a file; before the first brace there is nothing that could be printed to one.
  const body = program.slice(Math.max(0, program.indexOf('{')));
  if (program.includes('{') && body.replaceAll('>=', '').includes('>')) return 'awk with > in an action';
  return undefined;
}
