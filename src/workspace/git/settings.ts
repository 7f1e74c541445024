import { dirname, resolve } from 'node:path';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { isWithin } from '../paths.ts';
import { resolveRealPath } from '../real-path.ts';
import { hasUnnameable } from './names.ts';
import { type ParsedSetting, parseGitConfig } from './parse-config.ts';

const maxFiles = 20;

/** Other places and programs named in a repository's settings. */
export interface GitSettings {
  /** The values of `core.worktree`. */
  readonly trees: readonly string[];
  /** Programs that compare or convert files for `git diff` and similar commands, by the names of their settings. */
  readonly comparers: readonly Comparer[];
}

export interface Comparer {
  readonly kind: ComparerKind;
  readonly name: string;
}

export type ComparerKind = 'external' | 'textconv';

/**
 * The content of these git settings files and of the files they include. A string says why that is unknown, that a file has a
 * name that is not valid UTF-8, or that a file outside `root` is included. A name and the sign of a section are never broken
 * over lines, so a file without their letters does not set them.
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
    if (!/worktree|\[\s*include|\[\s*diff/i.test(text)) continue;
    const settings = parseGitConfig(text);
    comparers.push(...settings.flatMap(findComparer));
    const read = findPlaces(settings);
    if (typeof read === 'string') return `${file}: ${read}`;
    trees.push(...read.trees);
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
}

/** A missing file is empty; undefined where it is unknown what git would read there. */
export function readSettings(file: string): Buffer | undefined {
  const read = readBounded(file, maxBytes);
  if (read.state === 'read') return read.bytes;
  return read.state === 'missing' ? Buffer.alloc(0) : undefined;
}

const maxBytes = 8 * 1024 * 1024;

/** Nearly every such place is written plainly; we do not rely on how git reads any other form. */
function findPlaces(settings: readonly ParsedSetting[]): Places | string {
  const found: Places = { trees: [], includes: [] };
  for (const setting of settings) {
    const list = chooseList(setting, found);
    if (!list) continue;
    if (!setting.isPlain || !plainPath.test(setting.value)) return 'sets a path in an unsupported form';
    list.push(setting.value);
  }
  return found;
}

/** Git gives some first characters a special meaning: `~` for a home, `%(prefix)`, `:(optional)`. */
const plainPath = /^[\p{L}\p{N}._/]/u;

function chooseList({ section, name }: ParsedSetting, found: Places): string[] | undefined {
  if (name === 'worktree') return found.trees;
  return name === 'path' && /^include(?:if)?$/.test(section) ? found.includes : undefined;
}
