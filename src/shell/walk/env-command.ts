import { readLiteral, type ShellWord } from '../grammar/types.ts';

/** The command that `env` runs: its own words, perhaps after a string that it splits into words. */
export interface EnvCommand {
  readonly text?: string;
  readonly rest: readonly ShellWord[];
}

/** `env` with all of its options, joined and abbreviated; undefined where the text does not say what runs. */
export function readEnvCommand(words: readonly ShellWord[]): EnvCommand | undefined {
  let at = 1;
  let text: string | undefined;
  for (; at < words.length; at++) {
    const word = readLiteral(words[at]);
    if (word === undefined) return undefined;
    if (word === '--') {
      at++;
      break;
    }
    if (!word.startsWith('-')) break;
    const option = readOption(word);
    const value = option.takes && option.value === undefined ? readLiteral(words[++at]) : option.value;
    if (option.isText && value === undefined) return undefined;
    if (option.isText) text = value;
  }
  while (/^[^=]+=/.test(readLiteral(words[at]) ?? '')) at++;
  return { ...(text === undefined ? {} : { text }), rest: words.slice(at) };
}

interface Option {
  readonly takes: boolean;
  readonly isText: boolean;
  readonly value?: string;
}

function readOption(word: string): Option {
  if (word.startsWith('--')) {
    const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    const isText = name.length > 2 && '--split-string'.startsWith(name);
    const takes =
      isText || (name.length > 2 && ['--unset', '--chdir', '--argv0'].some((one) => one.startsWith(name)));
    return { takes, isText, ...(value === undefined ? {} : { value }) };
  }
  const at = word.slice(1).search(/[SuCaP]/) + 1;
  if (at === 0) return { takes: false, isText: false };
  const value = word.slice(at + 1);
  return { takes: true, isText: word[at] === 'S', ...(value === '' ? {} : { value }) };
}
