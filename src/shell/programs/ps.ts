import { literalWord, readLiteral, type ShellWord } from '../grammar/types.ts';
import { type Effect, type PathUse, unknown } from './effect.ts';

const column =
  '(?:pid|ppid|pgid|sid|tty|stat|state|user|uid|gid|comm|cmd|args|command|etime|etimes|time|%cpu|%mem|pcpu|pmem|rss|vsz|start|lstart|ni|pri|psr)=?';
const columns = `${column}(?:,${column})*`;
const sorted = `(?: --sort(?:=| )[+-]?${column})?(?: --no-headers)?`;

/**
 * Lists processes, in forms that are fully known. Options that ps cannot read with a dash it reads again without: then `e`
 * shows environments, and there are many ways to make it fail.
 */
const forms: readonly RegExp[] = [
  // None of these letters shows an environment or takes a value.
  /^ps [afjlruwx]{1,7}$/,
  /^ps (?:--forest -[eA]f?|-[eA]f? --forest)$/,
  /^ps -f?u (?:root|\d+)$/,
  /^ps -fp \d+$/,
  new RegExp(`^ps (?:aux(?:f|ww)?|axf?|-(?:ef|fe|eF|e|A|Af|eH|efH|f|F|l))${sorted}$`),
  new RegExp(`^ps (?:-[eA] )?-o ${columns}${sorted}$`),
  new RegExp(`^ps (?:-e|-A)o ${columns}${sorted}$`),
  new RegExp(`^ps -p \\d+(?:,\\d+)*(?: -o ${columns})?$`),
];

export function classifyPs(words: readonly ShellWord[]): Effect {
  const texts = words.map(readLiteral);
  const line = ['ps', ...texts].join(' ');
  const isPlain = texts.every((text) => text !== undefined && !/\s/.test(text));
  const isKnown = isPlain && (line === 'ps' || forms.some((form) => form.test(line)));
  return isKnown ? { known: true, uses: [] } : unknown('ps in a form that may show environments');
}

/** Whether it shows the environment of processes: by `e` without a dash, or in a word that is read again without. */
export function showsEnvironments(words: readonly ShellWord[]): boolean {
  const texts = words.map((word) => readLiteral(word) ?? '');
  return texts.some((text, index) => {
    if (/environ/i.test(text) || /^-\w*a\w*x\w*e|^-\w*E/.test(text)) return true;
    const isValue = /^-\w*[CGUgopstu]$|^--[a-z]+$/.test(texts[index - 1] ?? '');
    return !isValue && /^[a-zA-Z]*e[a-zA-Z]*$/.test(text) && !/^[a-zA-Z]*[opU]/.test(text);
  });
}

/** Represents the environment of every process. */
export const environments: PathUse = { kind: 'read', word: literalWord('/proc/1/environ') };
