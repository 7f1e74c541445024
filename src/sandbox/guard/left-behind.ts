import { createHash } from 'node:crypto';
import { dirname, join } from '../../lib/files/exact-paths.ts';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { findGitDirectory } from '../../workspace/git/directory.ts';
import { type IndexEntry, readIndex } from '../../workspace/git/git-index.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { findRoot } from '../../workspace/workspace.ts';
import { isBelow, statEntry } from './look.ts';

export interface ProtectedAtEnd {
  /** Read-only in the workspace while the command ran. */
  closed: readonly string[];
  /** Those that its output says it could not write. */
  refused: readonly string[];
  /** Taken away or restored after it. */
  undone: readonly string[];
  /** Whether a git directory's head leads elsewhere than before. */
  hasMovedHead(gitDirectory: string): boolean;
}

/**
 * Git switches branches although it could not write every file, and ends with success: its index then has the branch's
 * version of protected files, the work tree an older one or none, and `git commit -a` would commit that. Returns messages
 * that name such files.
 */
export function describeLeftBehind(end: ProtectedAtEnd, terms: { readonly outside: boolean }): string[] {
  const roots = new Set([...end.closed, ...end.undone].flatMap((path) => findRoot(dirname(path)) ?? []));
  return [...roots].flatMap((root) => {
    const data = findGitDirectory(root);
    const isHere = (path: string) => isBelow(path, root);
    const mayBeHalf = (own: string) =>
      end.hasMovedHead(resolveRealPath(own)) || [...end.refused, ...end.undone].some(isHere);
    if (data === undefined || !mayBeHalf(data)) return [];
    const names = (readIndex(join(data, 'index')) ?? [])
      .filter((entry) => isLeftBehind(entry, join(root, entry.name), end))
      .map(({ name }) => name);
    return names.length === 0 ? [] : [say(root, names, terms.outside)];
  });
}

/** Git has no times of a file that it could not write. One that the user changed before keeps those from its checkout. */
function isLeftBehind(entry: IndexEntry, path: string, { closed, undone }: ProtectedAtEnd): boolean {
  const isOfMount = entry.seen?.mtimeMs === 0 && closed.some((one) => isBelow(path, one));
  const isOurs = isOfMount || undone.some((one) => isBelow(path, one));
  return isOurs && entry.stage === 0 && entry.isLeftOut !== true && !hasContent(path, entry.id);
}

/** As git stores it, also where it writes other line ends to the disk. What is no file, or too large, is not compared. */
function hasContent(path: string, id: string): boolean {
  const found = statEntry(path);
  if (!found) return false;
  const read = readBounded(path, maxBytes, { refusesLinks: true });
  if (read.state !== 'read') return true;
  const plain = Buffer.from(read.bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
  return [read.bytes, plain].some((bytes) => hashBlob(bytes, id.length) === id);
}

const maxBytes = 1024 * 1024;

function hashBlob(bytes: Buffer, length: number): string {
  const hash = createHash(length === 40 ? 'sha1' : 'sha256');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

const maxNamed = 10;

/** The repository chooses the names; they must not pass for our own lines. */
function say(root: string, names: readonly string[], outside: boolean): string {
  const few = names.slice(0, maxNamed).map((name) => visibleLine(name, 300));
  const more = names.length > few.length ? ` and ${names.length - few.length} more` : '';
  const fix = `git checkout -- ${names.length <= maxNamed && few.every(isPlain) ? few.join(' ') : 'PATHS'}`;
  const next = outside
    ? `Run \`${fix}\` with dangerouslyDisableSandbox, which the user is asked about, or ask the user to run it`
    : `Ask the user to run \`${fix}\``;
  return `In ${visibleLine(root, 300)} these protected files do not have the content that git checked out, because commands in the sandbox cannot write them: ${few.join(', ')}${more}. Do not commit them as they are: that would undo changes on the branch. ${next}.`;
}

/** Needs no quotes in a shell. */
function isPlain(name: string): boolean {
  return /^[\w./-]+$/.test(name) && !name.startsWith('-');
}
