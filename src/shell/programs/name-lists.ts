import { readLiteral, type SimpleCommand } from '../grammar/types.ts';
import { nameLists } from '../tables/name-lists.data.ts';
import type { PathUse } from './effect.ts';

/** The files from which a command reads names, or its input. */
export function findListed({ words }: SimpleCommand): PathUse[] {
  const [first, ...rest] = words.map((word) => readLiteral(word) ?? '');
  const name = first?.replace(/^.*\//s, '') ?? '';
  const options = Object.hasOwn(nameLists, name) ? (nameLists[name]?.split(' ') ?? []) : [];
  // The old form of tar has no dash.
  const texts = /^(?:bsd)?tar$/.test(name) ? rest.map((text, at) => (at === 0 ? dashed(text) : text)) : rest;
  const word = words[1 + texts.findIndex((text) => options.some((option) => isGiven(option, text)))];
  const other = name === 'curl' ? words[1 + rest.findIndex((_, at) => opensFiles(rest, at))] : undefined;
  return [word, other].flatMap((one): PathUse[] =>
    one && one !== words[0] ? [{ kind: 'read', word: one, isOpen: true }] : [],
  );
}

/** A protocol that curl may be redirected to, other than those of the network: it may be that of files. */
function opensFiles(texts: readonly string[], at: number): boolean {
  const [, option, joined] = /^(--proto[a-z-]*)(?:=(.*))?$/s.exec(texts[at] ?? '') ?? [];
  return option !== undefined && !networkOnly.test(joined ?? texts[at + 1] ?? '');
}

/** Protocols that are taken away, or that read no files here. */
export const networkOnly = /^(?:(?:-[a-z]+|[+=]?(?:https?|ftps?))(?:,|$))*$/;

function dashed(text: string): string {
  return text.startsWith('-') ? text : `-${text}`;
}

/** Letters may be joined, and a long option may be abbreviated. */
function isGiven(option: string, text: string): boolean {
  if (!option.startsWith('--')) return /^-[^-]/.test(text) && text.includes(option.slice(1));
  const [name = ''] = text.split('=');
  return name.length > 2 && option.startsWith(name);
}
