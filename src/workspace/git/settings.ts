import { dirname, resolve } from 'node:path';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { isWithin } from '../paths.ts';
import { resolveRealPath } from '../real-path.ts';
import { hasUnnameable } from './names.ts';
import { type ParsedSetting, parseGitConfig } from './parse-config.ts';

const maxFiles = 20;

/** What a repository's settings say about other places and programs. */
export interface GitSettings {
  /** The values of `core.worktree`. */
  readonly trees: readonly string[];
  /** Programs that compare or convert files for `git diff` and its kin, by the names of their settings. */
  readonly comparers: readonly Comparer[];
}

export interface Comparer {
  readonly kind: ComparerKind;
  readonly name: string;
}

export type ComparerKind = 'external' | 'textconv';

/**
 * What these files of git's settings and those that they include say. A string says why that is
 * not known, that a file has a name that is not valid UTF-8, or that a file outside of `root` is included or read by
 * `git blame`, which reads all files of that list whatever is set behind them. A name and the sign of a section are never
 * broken over lines, so a file that does not hold their letters does not set them.
 */
export function findGitSettings(files: readonly string[], root: string): GitSettings | string {
  const waiting = [...files];
  const trees: string[] = [];
  const comparers: Comparer[] = [];
  for (let count = 0; waiting.length > 0; count++) {
    const file = waiting.pop();
    if (file === undefined || count > maxFiles) return 'its settings include too many files';
    const bytes = readSettings(file);
    if (bytes === undefined) return `${file} cannot be read`;
    if (hasUnnameable(bytes)) return `${file} holds a name that is not valid UTF-8`;
    const text = bytes.toString('utf8');
    if (!/worktree|ignorerevsfile|\[\s*include|\[\s*diff/i.test(text)) continue;
    const settings = parseGitConfig(text);
    comparers.push(...settings.flatMap(findComparer));
    const read = findPlaces(settings);
    if (typeof read === 'string') return `${file}: ${read}`;
    trees.push(...read.trees);
    const revisions = read.revisions.find((path) => !isWithin(resolveRealPath(resolve(root, path)), root));
    if (revisions !== undefined) return `${file} names ${revisions}`;
    for (const path of read.includes) {
      const included = resolve(dirname(file), path);
      if (resolveRealPath(included) !== included || !isWithin(included, root))
        return `${file} includes ${included}`;
      waiting.push(included);
    }
  }
  return { trees, comparers };
}

function findComparer({ section, subsection, name }: ParsedSetting): Comparer[] {
  if (section !== 'diff') return [];
  if (subsection === '') return name === 'external' ? [{ kind: 'external', name: 'diff.external' }] : [];
  if (name !== 'command' && name !== 'textconv') return [];
  return [{ kind: name === 'command' ? 'external' : name, name: `diff.${subsection}.${name}` }];
}

/** Other places that settings name. */
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

/** Nearly every such place is plainly written; how git reads any other form is not relied on. */
function findPlaces(settings: readonly ParsedSetting[]): Places | string {
  const found: Places = { trees: [], includes: [], revisions: [] };
  for (const setting of settings) {
    const list = chooseList(setting, found);
    if (!list) continue;
    if (!setting.isPlain || !plainPath.test(setting.value)) return 'sets a place in a form that is not read';
    list.push(setting.value);
  }
  return found;
}

/** Git takes some first characters for another place: `~` for a home, `%(prefix)`, `:(optional)`. */
const plainPath = /^[\p{L}\p{N}._/]/u;

function chooseList({ section, name }: ParsedSetting, found: Places): string[] | undefined {
  if (name === 'worktree') return found.trees;
  if (name === 'ignorerevsfile') return found.revisions;
  return name === 'path' && /^include(?:if)?$/.test(section) ? found.includes : undefined;
}
