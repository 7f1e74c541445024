import { width } from './width.ts';
import { wrap } from './wrap.ts';

/** A column with less is no use. */
const narrowest = 20;

/**
 * A line of a table made of blanks, wrapped so that it stays one: what does not fit goes on under the last column. Where
 * that one is too narrow the columns are given up, and the rest stands below, set in.
 */
export function wrapColumns(line: string, columns: number): string[] {
  if (width(line) <= columns) return [line];
  const [lead = ''] = /^ */.exec(line) ?? [];
  const last = /^(.*\S {2,})\S/.exec(line)?.[1] ?? '';
  const column = width(last);
  if (last !== '' && columns - column >= narrowest)
    return wrap(line, columns, { indent: ' '.repeat(column) });
  const joined = lead + line.trim().replace(/ {2,}/g, '  ');
  // Plain words are not a table.
  return wrap(joined, columns, { indent: last === '' ? lead : `${lead}    ` });
}
