import { join } from '../lib/files/exact-paths.ts';
import { listKnown, untold } from '../lib/told.ts';
import { isCredential } from '../places/credentials.ts';
import { type Looks, listNames, readEntries, statEntry } from './guard/look.ts';
import { deepSecrets } from './home.data.ts';

/** Credentials in the tool chains and caches of a home, by their usual names in their top two levels, and where programs write them. */
export class ToolChainSecrets {
  /** By place, for a while, and as long as no entry is added or removed. */
  readonly #known = new Map<string, { changedAt: number; lookedAt: number; found: string[] }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  in(place: string, looks: Looks): string[] {
    const stat = looks.at(place);
    if (!stat?.isDirectory()) return [];
    const before = this.#known.get(place);
    const lookedAt = this.now();
    if (before?.changedAt === stat.ctimeMs && lookedAt - before.lookedAt < staleMs) return before.found;
    const found = findSecrets(place);
    this.#known.set(place, { changedAt: stat.ctimeMs, lookedAt, found });
    return found;
  }
}

/** New entries in a directory of a place are noticed after this time. */
const staleMs = 30_000;
/** Number of directories of a place that are searched. */
const maxDirectories = 200;

function findSecrets(place: string): string[] {
  const entries = readEntries(place);
  // Any name in it may be one.
  if (entries === untold) return [place];
  const deeper = entries
    .filter((entry) => entry.isDirectory())
    .slice(0, maxDirectories)
    .map((entry) => join(place, entry.name));
  const named = [place, ...deeper].flatMap((directory) => {
    const inside = directory === place ? entries : readEntries(directory);
    if (inside === untold) return [directory];
    return inside
      .filter((entry) => (entry.isDirectory() ? isSecretPlace(entry.name) : isSecretName(entry.name)))
      .filter((entry) => entry.isFile() || entry.isDirectory() || entry.isSymbolicLink())
      .map((entry) => join(directory, entry.name));
  });
  const tops = new Set(entries.map(({ name }) => name));
  const written = deepSecrets
    .map((pattern) => pattern.split('/'))
    .filter(([top = '']) => top === '*' || tops.has(top))
    .flatMap((parts) => findDeep(place, parts));
  return [...new Set([...named, ...written])];
}

function findDeep(directory: string, [part = '', ...rest]: readonly string[]): string[] {
  const names = part === '*' ? listKnown(listNames(directory)).slice(0, maxDirectories) : [part];
  const paths = names.map((name) => join(directory, name));
  return rest.length > 0
    ? paths.flatMap((path) => findDeep(path, rest))
    : paths.filter((path) => statEntry(path)?.isFile() === true);
}

/** Directories that contain nothing else. */
function isSecretPlace(name: string): boolean {
  return /^\.?(?:credentials?|secrets?|tokens?|keyrings?|private[-_]?keys?|opam-publish)$/i.test(name);
}

/** Certificates of authorities have the same suffix as keys, but are public. */
export function isSecretName(name: string): boolean {
  if (/\.pem$/i.test(name) && /(?:^|[^a-z])ca(?:[^a-z]|$)|cacert|certs?\b|bundle|chain/i.test(name))
    return false;
  return (
    isCredential(name) ||
    /^\.?(?:access|api|auth|refresh)?tokens?(?:\.(?:json|txt|toml|ya?ml))?$/i.test(name) ||
    /[-_.]tokens?(?:\.(?:json|txt|toml|ya?ml))?$/i.test(name) ||
    /^(?:auth|credentials?|pub-credentials)\.(?:json|toml|ya?ml|properties)$/i.test(name)
  );
}
