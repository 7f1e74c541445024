import { dirname, resolve } from 'node:path';
import { readBounded } from '../lib/read-bounded.ts';
import { hasUnnameable } from './git-names.ts';
import { isWithin } from './paths.ts';
import { realPathOf } from './real-path.ts';

const maxFiles = 20;

/**
 * The values of `core.worktree` in these files of git's settings and in those that they include; a text says why they
 * cannot be told, that they hold a name which no text says, or that a file outside of `root` is included or read by `git blame`, which reads all files of that list
 * whatever is set behind them. A name and the sign of a section are never broken over
 * lines, so a file that does not hold their letters does not set them.
 */
export function findGitSettings(files: readonly string[], root: string): readonly string[] | string {
  const waiting = [...files];
  const trees: string[] = [];
  for (let count = 0; waiting.length > 0; count++) {
    const file = waiting.pop();
    if (file === undefined || count > maxFiles) return 'its settings include too many files';
    const bytes = readSettings(file);
    if (bytes === undefined) return `${file} cannot be read`;
    if (hasUnnameable(bytes)) return `${file} holds a name that is not valid UTF-8`;
    const text = bytes.toString('utf8');
    if (!/worktree|ignorerevsfile|\[\s*include/i.test(text)) continue;
    const read = readLines(text);
    if (typeof read === 'string') return `${file}: ${read}`;
    trees.push(...read.trees);
    const revisions = read.revisions.find((path) => !isWithin(realPathOf(resolve(root, path)), root));
    if (revisions !== undefined) return `${file} names ${revisions}`;
    for (const path of read.includes) {
      const included = resolve(dirname(file), path);
      if (realPathOf(included) !== included || !isWithin(included, root))
        return `${file} includes ${included}`;
      waiting.push(included);
    }
  }
  return trees;
}

/** What the settings say of other places. */
interface Places {
  readonly trees: string[];
  readonly includes: string[];
  readonly revisions: string[];
}

/** What is missing is empty; undefined where it cannot be told what git would read there. */
export function readSettings(file: string): Buffer | undefined {
  const read = readBounded(file, maxBytes);
  if (read.state === 'read') return read.bytes;
  return read.state === 'missing' ? Buffer.alloc(0) : undefined;
}

const maxBytes = 8 * 1024 * 1024;

/** Only plain lines are read: a section, or a name and a value without quotes, escapes and comments. */
function readLines(text: string): Places | string {
  const found: Places = { trees: [], includes: [], revisions: [] };
  let section = '';
  for (const line of text.split('\n')) {
    const header = /^\s*\[([^\]\n]*)\]\s*$/.exec(line)?.[1];
    if (header !== undefined) {
      section = header.trim().toLowerCase();
      continue;
    }
    const isInclude = /^include(?:if\b.*)?$/.test(section);
    const name = /(?:^|\])\s*(worktree|ignorerevsfile)\s*(?:=|$)/i.exec(line)?.[1]?.toLowerCase();
    if (/\[\s*include/i.test(line)) return 'includes files';
    const value = /^\s*[\w-]+\s*=\s*([^"\\#;\r]*?)\s*$/.exec(line)?.[1];
    const isNeeded = name !== undefined || (isInclude && /^\s*path\b/i.test(line));
    if (isNeeded && (value === undefined || value.startsWith('~') || value === ''))
      return 'sets a place in a form that is not read';
    if (value === undefined) continue;
    if (name === 'worktree') found.trees.push(value);
    else if (name !== undefined) found.revisions.push(value);
    else if (isNeeded) found.includes.push(value);
  }
  return found;
}
