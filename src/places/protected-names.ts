import { basename } from '../lib/files/exact-paths.ts';
import { splitPath } from '../workspace/paths.ts';
import { matchesName } from './name-pattern.ts';
import { foldName } from './paths.ts';
import { runsLater } from './runs-later.data.ts';

/** A protected name in a path, and the reason. */
export interface ProtectedName {
  readonly name: string;
  readonly reason: string;
}

/**
 * Names that are protected everywhere, such as `.vscode`, `.npmrc` or `.github/workflows`. In a path below `root` only the
 * part below it is checked, and the root's own name together with the next: the user chose to work there.
 */
export function findProtectedName(path: string, root = '/'): ProtectedName | undefined {
  const all = splitPath(path).map(foldName);
  const above = splitPath(root).length;
  const joint = above > 0 ? findRow(all[above - 1] ?? '', all[above], true) : undefined;
  if (joint) return joint;
  const parts = withoutWorktree(all.slice(above));
  for (const [index, part] of parts.entries()) {
    const found = findRow(part, parts[index + 1]);
    // A file is shown by its name as written.
    if (found) return index === parts.length - 1 ? { ...found, name: basename(path) } : found;
  }
  return undefined;
}

export function protectedName(path: string): string | undefined {
  return findProtectedName(path)?.name;
}

/** Nearly all names of a large directory are not protected, and need no closer look. */
export function mayBeProtected(name: string): boolean {
  if (beginnings.has((name[0] ?? '').toLowerCase())) return true;
  return (
    lastSigns.has((name.at(-1) ?? '').toLowerCase()) && endings.some((one) => foldName(name).endsWith(one))
  );
}

interface Row {
  readonly parts: readonly string[];
  readonly reason: string;
}

const rows: readonly Row[] = runsLater.flatMap(({ reason, names }) =>
  names.map((name) => ({ parts: name.split('/'), reason })),
);

/** Rows whose first part holds no pattern, by that part: nearly all of them. */
const exact = new Map<string, Row[]>();
const patterns: Row[] = [];
for (const row of rows) {
  const [first = ''] = row.parts;
  if (first.includes('*')) patterns.push(row);
  else exact.set(first, [...(exact.get(first) ?? []), row]);
}

/** First parts of names with two parts, such as `.github`. */
export const holders: ReadonlySet<string> = new Set(
  rows.flatMap(({ parts: [first = '', second] }) => (second === undefined ? [] : [first])),
);

/** Names that a link may not replace. Other names are too ordinary: many links are named `tools`. */
export const leads: ReadonlySet<string> = new Set([...holders].filter((name) => name.startsWith('.')));

const beginnings: ReadonlySet<string> = new Set(
  rows.map(({ parts: [first = ''] }) => first[0] ?? '').filter((sign) => sign !== '*'),
);
const endings: readonly string[] = patterns.flatMap(({ parts: [first = ''] }) =>
  first.startsWith('*') ? [first.slice(first.lastIndexOf('*') + 1)] : [],
);
const lastSigns: ReadonlySet<string> = new Set(endings.map((ending) => ending.at(-1) ?? ''));

function findRow(part: string, next: string | undefined, isJoint = false): ProtectedName | undefined {
  const fits = ({ parts: [first = '', second] }: Row) =>
    matchesName(first, part) &&
    (second === undefined ? !isJoint : next !== undefined && matchesName(second, next));
  const row = exact.get(part)?.find(fits) ?? patterns.find(fits);
  if (!row) return undefined;
  return { name: row.parts.length === 1 ? part : `${part}/${next}`, reason: row.reason };
}

/** Agents' worktrees are below `.cadre/worktrees/<name>`: only the path inside them decides. */
function withoutWorktree(parts: string[]): string[] {
  const at = parts.findLastIndex(
    (part, index) => (part === '.cadre' || part === '.claude') && parts[index + 1] === 'worktrees',
  );
  return at >= 0 && parts.length > at + 3 ? parts.slice(at + 3) : parts;
}
