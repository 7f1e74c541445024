import { width } from './width.ts';
import { wrap } from './wrap.ts';

/** A narrower column is useless. */
const narrowest = 20;

/**
 * Wraps a line of a blank-separated table so it stays one: text that does not fit continues under the last column. If that
 * column is too narrow, the columns are given up and the rest goes below, indented.
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
