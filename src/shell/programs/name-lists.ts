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
  return word && word !== words[0] ? [{ kind: 'read', word, isOpen: true }] : [];
}

function dashed(text: string): string {
  return text.startsWith('-') ? text : `-${text}`;
}

/** Letters may be joined, and a long option may be abbreviated. */
function isGiven(option: string, text: string): boolean {
  if (!option.startsWith('--')) return /^-[^-]/.test(text) && text.includes(option.slice(1));
  const [name = ''] = text.split('=');
  return name.length > 2 && option.startsWith(name);
}
