/** One word of a shell command, whatever it contains. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
