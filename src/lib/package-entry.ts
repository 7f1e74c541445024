import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

export type Loading = 'import' | 'require';

/**
 * The file that a package name resolves to from a directory: in `node_modules` of that directory and its parents, up to and
 * including `root`. Undefined when there is none. For runtimes whose own search is switched off.
 */
export function findPackageFile(
  specifier: string,
  from: string,
  root: string,
  loading: Loading = 'import',
): string | undefined {
  const [, name, rest] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(specifier) ?? [];
  if (!name) return undefined;
  for (let directory = from; isWithin(directory, root); directory = dirname(directory)) {
    const home = join(directory, 'node_modules', name);
    const described = readPackage(home);
    if (!described) continue;
    const file = findEntryFile(described, `.${rest ?? ''}`, loading);
    const found = file === undefined ? undefined : existing(join(home, file));
    return found && isWithin(found, realpathSync(home)) ? found : undefined;
  }
  return undefined;
}

export function isWithin(path: string, root: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`));
}

interface Described {
  exports?: unknown;
  module?: unknown;
  main?: unknown;
}

function readPackage(directory: string): Described | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function findEntryFile(described: Described, path: string, loading: Loading): string | undefined {
  if (described.exports !== undefined) return exportedFile(described.exports, path, loading);
  if (path !== '.') return path;
  const { module, main } = described;
  if (loading === 'import' && typeof module === 'string') return module;
  return typeof main === 'string' ? main : 'index.js';
}

function exportedFile(exported: unknown, path: string, loading: Loading): string | undefined {
  const map = isSubpathMap(exported) ? exported : { '.': exported };
  if (Object.hasOwn(map, path)) return conditional(map[path], loading);
  for (const [pattern, target] of Object.entries(map)) {
    const [start = '', end] = pattern.split('*');
    if (end === undefined || !path.startsWith(start) || !path.endsWith(end)) continue;
    const middle = path.slice(start.length, path.length - end.length);
    return conditional(target, loading)?.replaceAll('*', middle);
  }
  return undefined;
}

function isSubpathMap(exported: unknown): exported is Record<string, unknown> {
  return (
    typeof exported === 'object' &&
    exported !== null &&
    Object.keys(exported).some((key) => key.startsWith('.'))
  );
}

/** The first condition that applies, in the package's own order. */
function conditional(target: unknown, loading: Loading): string | undefined {
  if (typeof target === 'string') return target;
  if (Array.isArray(target)) return target.map((each) => conditional(each, loading)).find(Boolean);
  if (typeof target !== 'object' || target === null) return undefined;
  for (const [condition, inner] of Object.entries(target)) {
    if (condition !== loading && condition !== 'node' && condition !== 'default') continue;
    const file = conditional(inner, loading);
    if (file !== undefined) return file;
  }
  return undefined;
}

function existing(path: string): string | undefined {
  for (const candidate of [
    path,
    `${path}.js`,
    `${path}.mjs`,
    `${path}.cjs`,
    `${path}.json`,
    join(path, 'index.js'),
  ]) {
    if (statSync(candidate, { throwIfNoEntry: false })?.isFile()) return realpathSync(candidate);
  }
  return undefined;
}
