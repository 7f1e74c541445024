import { join } from 'node:path';
import { isCredential } from '../credentials.ts';
import { entriesIn, type Looks } from './look.ts';

/** Credentials that lie in the tool chains and caches of a home, by their usual names; looked for at their top two levels. */
export class ToolChainSecrets {
  /** By place, as long as nothing comes into it or goes. */
  readonly #known = new Map<string, { changedAt: number; found: string[] }>();

  in(place: string, looks: Looks): string[] {
    const stat = looks.at(place);
    if (!stat?.isDirectory()) return [];
    const before = this.#known.get(place);
    if (before?.changedAt === stat.ctimeMs) return before.found;
    const found = secretsIn(place);
    this.#known.set(place, { changedAt: stat.ctimeMs, found });
    return found;
  }
}

/** So many directories of a place are looked into. */
const maxDirectories = 200;

function secretsIn(place: string): string[] {
  const entries = entriesIn(place) ?? [];
  const deeper = entries
    .filter((entry) => entry.isDirectory())
    .slice(0, maxDirectories)
    .map((entry) => join(place, entry.name));
  return [place, ...deeper].flatMap((directory) =>
    (directory === place ? entries : (entriesIn(directory) ?? []))
      .filter((entry) => entry.isFile() && isSecretName(entry.name))
      .map((entry) => join(directory, entry.name)),
  );
}

/** Certificates of authorities, which end as keys do, are for everybody. */
export function isSecretName(name: string): boolean {
  if (/\.pem$/i.test(name) && /(?:^|[^a-z])ca(?:[^a-z]|$)|cacert|certs?\b|bundle|chain/i.test(name))
    return false;
  return (
    isCredential(name) || /^\.?(?:(?:access|api|auth|refresh)[-_.]?)?tokens?(?:\.(?:json|txt))?$/i.test(name)
  );
}
