import type { Word } from 'unbash';
import { literalValue, type ShellWord, type Value } from './types.ts';

/** A star in an assignment is text; file names that another variable holds stay names. */
export function assignedValue({ parts = [] }: Word, { values, single }: ShellWord): Value | undefined {
  const [value, ...more] = values ?? [];
  if (!value || more.length > 0) return undefined;
  if (!value.isPattern) return single ? value : undefined;
  const isText = parts.every(({ type }) => /^(?:Literal|Glob|SingleQuoted)$/.test(type));
  if (isText) return literalValue(value.text);
  return parts.some(({ type }) => type === 'Glob') ? undefined : value;
}
