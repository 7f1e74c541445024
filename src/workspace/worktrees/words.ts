import { visible } from '../../lib/text/text.ts';

const maxNamed = 10;

/** File names in a sentence: each on one line whatever it contains, and not too many. */
export function nameFiles(paths: readonly string[]): string {
  const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : '';
  return `${paths.slice(0, maxNamed).map(nameFile).join(', ')}${more}`;
}

/** A file name may contain anything, also something that looks like a line of a report. */
export function nameFile(path: string): string {
  return visible(path).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

export function countCommits(count: number): string {
  return count === 1 ? '1 commit' : `${count} commits`;
}
