import { basename } from 'node:path';
import { readLiteral, type ShellWord, type SimpleCommand } from '../grammar/types.ts';

/** Everything that a word becomes, or may become, by the text. */
export function listTexts({ values, guesses, text }: ShellWord): string[] {
  const known = values ?? guesses;
  return known ? known.map((value) => value.text) : [text];
}

export function readCommandName({ words }: SimpleCommand): string {
  return basename(readLiteral(words[0]) ?? '').toLowerCase();
}
