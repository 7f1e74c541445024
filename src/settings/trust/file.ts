import { join } from 'node:path';
import { isRecord } from '../../lib/fields/field-values.ts';
import { parseJson } from '../../lib/fields/parse-json.ts';
import { describeUnread, readBounded } from '../../lib/files/read-bounded.ts';
import type { Problem } from '../../lib/result.ts';

/** A piece that the user has trusted: only hashes of its content are kept, since it may hold secrets. */
export interface TrustedPiece {
  kind: string;
  file: string;
  name?: string;
  hash: string;
  /** Hashes of each line shown, so a later change can be shown line by line. */
  entries: string[];
  /** ISO 8601 */
  trustedAt: string;
}

/** By the real path of the repository's root. */
export type TrustedRepositories = Map<string, TrustedPiece[]>;

export interface TrustFile {
  repositories: TrustedRepositories;
  /** Why nothing is trusted; undefined if the file is fine. */
  damage?: TrustDamage;
}

export interface TrustDamage {
  /** `damaged`: may be set aside. `newer`: written by another version. `unreadable`: state unknown. */
  kind: 'damaged' | 'newer' | 'unreadable';
  problem: Problem;
}

export const trustFormat = 1;
const maxFile = 16 * 1024 * 1024;

export function trustPath(home: string): string {
  return join(home, 'trust.json');
}

/** The trusted pieces. An invalid file trusts nothing. */
export function readTrustFile(home: string): TrustFile {
  const path = trustPath(home);
  const read = readOwn(path);
  if (read === undefined) return { repositories: new Map() };
  if (typeof read !== 'string') return { repositories: new Map(), damage: read };
  const json = parseJson(read);
  if (!isRecord(json) || typeof json.format !== 'number' || !isRecord(json.repositories))
    return damaged('damaged', `${path} is damaged, so nothing is trusted.`, again);
  if (json.format !== trustFormat)
    return damaged(
      'newer',
      `${path} has format ${json.format}; this version supports ${trustFormat}, so nothing is trusted.`,
      'Use the newer version of cadre, or move the file away.',
    );
  const repositories = Object.entries(json.repositories).flatMap(([root, value]) => {
    const pieces = isRecord(value) && Array.isArray(value.pieces) ? value.pieces.filter(isPiece) : [];
    return pieces.length === 0 ? [] : [[root, pieces] as const];
  });
  return { repositories: new Map(repositories) };
}

const again = 'Run cadre trust to be asked again; the damaged file is kept beside the new one.';

function damaged(kind: TrustDamage['kind'], message: string, hint: string): TrustFile {
  return { repositories: new Map(), damage: { kind, problem: { kind: 'failure', message, hint } } };
}

/** Undefined if there is none. Write access to the file means trusting anything, so only its owner may have it. */
function readOwn(path: string): string | undefined | TrustDamage {
  const read = readBounded(path, maxFile);
  if (read.state === 'missing') return undefined;
  if (read.state === 'read') {
    const { mode, uid } = read.stat;
    const owner = process.getuid?.();
    const isForeign = (mode & 0o022) !== 0 || (owner !== undefined && uid !== owner);
    if (isForeign)
      return damaged('damaged', `${path} is writable by other users, so nothing is trusted.`, again).damage;
    return read.bytes.toString('utf8');
  }
  if (read.error === undefined)
    return damaged('damaged', `${path} is not a valid trust file, so nothing is trusted.`, again).damage;
  return { kind: 'unreadable', problem: describeUnread(read, path, maxFile) };
}

function isPiece(value: unknown): value is TrustedPiece {
  if (!isRecord(value)) return false;
  const { kind, file, name, hash, entries, trustedAt } = value;
  return (
    [kind, file, hash, trustedAt].every((field) => typeof field === 'string' && field !== '') &&
    (name === undefined || typeof name === 'string') &&
    Array.isArray(entries) &&
    entries.every((entry) => typeof entry === 'string')
  );
}
