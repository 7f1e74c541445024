import { join } from 'node:path';
import { statEntryPrecisely } from '../../lib/files/entry-at.ts';
import { findRoot } from '../workspace.ts';
import { findGitDirectory } from './directory.ts';
import { type GitOptions, git } from './git.ts';
import { type IndexEntry, readIndex } from './git-index.ts';

/**
 * The lines of a short status without files that only seem changed. Git compares the content of a file that is as new as its
 * index, and without the filters, which do not run here, that of a filtered file differs. Such a file counts as unchanged if
 * it has not been written since git recorded it. A status that cannot be checked stays as it is.
 */
export async function dropSeemingChanges(lines: readonly string[], options: GitOptions): Promise<string[]> {
  const root = findRoot(options.cwd);
  const own = root === undefined ? undefined : findGitDirectory(root);
  const suspects = new Map(lines.flatMap((line) => (isContentChange(line) ? [[line, readPath(line)]] : [])));
  if (root === undefined || own === undefined || suspects.size === 0) return [...lines];
  const filtered = await listFiltered([...suspects.values()], { ...options, cwd: root });
  if (filtered.size === 0) return [...lines];
  const entries = new Map(
    (readIndex(join(own, 'index')) ?? []).flatMap((entry) =>
      filtered.has(entry.name) ? [[entry.name, entry]] : [],
    ),
  );
  return lines.flatMap((line) => {
    const name = suspects.get(line);
    const entry = name === undefined ? undefined : entries.get(name);
    if (!entry || !isAsRecorded(entry, join(root, entry.name))) return [line];
    return line.startsWith(' ') ? [] : [`${line[0]} ${line.slice(2)}`];
  });
}

/** Whether the working tree differs from the index in content. A renamed file has two names and is left as it is. */
function isContentChange(line: string): boolean {
  return line[1] === 'M' && line[0] !== 'R' && line[0] !== 'C';
}

/** A name with special characters is quoted as in C. */
function readPath(line: string): string {
  const text = line.slice(3);
  if (!text.startsWith('"')) return text;
  const bytes = Buffer.from(text.slice(1, -1))
    .toString('latin1')
    .replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
      code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (escapes[code] ?? code),
    );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

const escapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

async function listFiltered(paths: readonly string[], options: GitOptions): Promise<ReadonlySet<string>> {
  const input = `${paths.join('\0')}\0`;
  const listed = await git(['check-attr', '-z', '--stdin', 'filter'], { ...options, input });
  const fields = listed.ok ? listed.value.split('\0') : [];
  const named = fields.filter(
    (_, at) => at % 3 === 0 && !['unspecified', 'unset', 'set', undefined].includes(fields[at + 2]),
  );
  return new Set(named);
}

/**
 * Every write changes the times. That of the entry itself git compares, and corrects, in whole seconds only; and it sets a
 * size to 0 if it could not tell whether the file had changed.
 */
function isAsRecorded({ seen, stage }: IndexEntry, path: string): boolean {
  const stat = statEntryPrecisely(path);
  if (!stat?.isFile() || !seen || stage !== 0) return false;
  const isSameSize = seen.size === 0 || BigInt(seen.size) === stat.size % 2n ** 32n;
  return (
    isSameSize && seen.mtimeMs === toMs(stat.mtimeNs) && seen.ctimeSeconds === Number(stat.ctimeNs / second)
  );
}

const second = 1_000_000_000n;

/** With the same loss of digits as in an entry. */
function toMs(nanoseconds: bigint): number {
  return Number(nanoseconds / second) * 1000 + Number(nanoseconds % second) / 1_000_000;
}
