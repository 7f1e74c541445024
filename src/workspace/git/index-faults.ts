import { createHash } from 'node:crypto';
import { type IndexEntry, type IndexParts, parseParts } from './git-index.ts';
import { isEntryName } from './names.ts';

/**
 * `isMisleading`: git would act on it in a way that no git command brings about. Git checks the names that it adds, and trusts
 * those that it reads: `git checkout .` would write `../x`, `/home/me/.bashrc` or `.git/hooks/pre-commit`. It also trusts the
 * trees that an index remembers: a commit would take them, and `git status` would not show what is in them.
 */
export function judgeIndex(bytes: Buffer): { isMisleading: boolean; isSplit: boolean } {
  const parts = parseParts(bytes, (latin1) => latin1);
  if (!parts) return { isMisleading: false, isSplit: false };
  // Some of its entries are in another file.
  const isSplit = parts.extensions.some(({ name }) => name === 'link');
  const isPlain = parts.entries.every((entry) => isEntryPath(entry, isSplit));
  return { isMisleading: !isPlain || (!isSplit && hasFalseTree(parts)), isSplit };
}

function isEntryPath({ name, mode }: Pick<IndexEntry, 'name' | 'mode'>, isSplit = false): boolean {
  // An entry without a name takes the place of one in the other file.
  if (name === '' && isSplit) return true;
  const path = mode === directoryMode ? name.replace(/\/$/, '') : name;
  return path.split('/').every(isEntryName);
}

/** In a sparse index. */
const directoryMode = 0o040000;

/** Whether one of the remembered trees has another content than the entries. */
function hasFalseTree({ entries, extensions, idLength }: IndexParts): boolean {
  const remembered = extensions.find(({ name }) => name === 'TREE');
  if (!remembered) return false;
  const trees = readTrees(remembered.bytes, idLength);
  if (!trees) return true;
  if (trees.size === 0) return false;
  const actual = computeTrees(entries, idLength);
  return [...trees].some(([path, id]) => {
    const found = actual.get(path);
    return found !== undefined && found !== id;
  });
}

/** Those that git would use, by path, each with a slash at its end but for the first. Undefined where git would not read them. */
function readTrees(bytes: Buffer, idLength: number): Map<string, string> | undefined {
  const trees = new Map<string, string>();
  /** The paths of the trees that follow, and how many are missing of each. */
  const around: { path: string; left: number }[] = [{ path: '', left: 1 }];
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = bytes.indexOf(0, at);
    const lineEnd = bytes.indexOf(10, nameEnd);
    const line = lineEnd < 0 ? '' : bytes.toString('latin1', nameEnd + 1, lineEnd);
    const [, count = '', below = ''] = /^(-?\d+) (\d+)$/.exec(line) ?? [];
    while (around.at(-1)?.left === 0) around.pop();
    const above = around.at(-1);
    if (nameEnd < 0 || count === '' || !above) return undefined;
    const name = bytes.toString('latin1', at, nameEnd);
    const path = at === 0 ? '' : `${above.path}${name}/`;
    above.left--;
    around.push({ path, left: Number(below) });
    const isValid = !count.startsWith('-');
    at = lineEnd + 1 + (isValid ? idLength : 0);
    if (isValid) trees.set(path, bytes.toString('hex', lineEnd + 1, at));
  }
  return trees;
}

/** Of each directory; the empty text where git makes none, and nothing where there is a conflict. */
function computeTrees(entries: readonly IndexEntry[], idLength: number): Map<string, string> {
  const trees = new Map<string, string>();
  // The content of a directory, behind that of the one around it: so nothing is allocated for an entry.
  const content = Buffer.allocUnsafe(entries.reduce((sum, { name }) => sum + name.length + idLength + 8, 0));
  let next = 0;
  const compute = (path: string, start: number): { id: string; isConflicted: boolean } => {
    let end = start;
    let isConflicted = false;
    let isPlain = true;
    const add = (mode: string, name: string, id: string) => {
      end += content.write(`${mode} ${name}\0`, end, 'latin1');
      end += content.write(id, end, 'hex');
    };
    for (let entry = entries[next]; entry?.name.startsWith(path); entry = entries[next]) {
      const cut = entry.name.indexOf('/', path.length);
      const name = entry.name.slice(path.length, cut < 0 ? undefined : cut);
      if (cut < 0 || entry.mode === directoryMode) {
        next++;
        if (entry.stage > 0) isConflicted = true;
        if (entry.isOnlyNamed) isPlain = false;
        if (entry.mode === directoryMode) trees.set(entry.name, entry.id);
        add(entry.mode.toString(8), name, entry.id);
        continue;
      }
      const inner = compute(entry.name.slice(0, cut + 1), end);
      if (inner.isConflicted) isConflicted = true;
      if (inner.id === '') isPlain = false;
      add('40000', name, inner.id);
    }
    const id = isPlain ? hashTree(content.subarray(start, end), idLength) : '';
    if (!isConflicted) trees.set(path, id);
    return { id, isConflicted };
  };
  compute('', 0);
  return trees;
}

function hashTree(content: Buffer, idLength: number): string {
  const hash = createHash(idLength === 20 ? 'sha1' : 'sha256');
  return hash.update(`tree ${content.length}\0`).update(content).digest('hex');
}
