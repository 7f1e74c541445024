import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { isRecord } from '../../lib/fields/field-values.ts';
import { parseJson } from '../../lib/fields/parse-json.ts';
import { ensurePrivateDirectory, writeAtomic } from '../../lib/files/atomic.ts';
import { withFileLock } from '../../lib/files/file-lock.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { ok, type Result } from '../../lib/result.ts';
import type { TrustDescription } from './describe.ts';
import { hashPiece } from './piece.ts';

/** Beyond this number, the oldest are asked about again. */
const maxRepositories = 500;

/** By the real path of the repository's root, the hashes of declined pieces; the newest last. */
type Declined = Record<string, string[]>;

/**
 * Whether the user has declined all open pieces. It grants and denies nothing: it only keeps the
 * same question from being asked at every start. A change since then is another question.
 */
export function wasDeclined(description: TrustDescription, home: string): boolean {
  const known = new Set(readDeclined(home)[description.root]);
  const open = openHashes(description);
  return open.length > 0 && open.every((hash) => known.has(hash));
}

/** Records that the user has said no. */
export async function noteDeclined(
  description: TrustDescription,
  home: string,
  clock: Clock,
): Promise<Result<void>> {
  const directory = ensurePrivateDirectory(home);
  if (!directory.ok) return directory;
  const path = locateDeclined(home);
  return withFileLock(`${path}.lock`, clock, () => {
    const { [description.root]: _, ...others } = readDeclined(home);
    const kept = Object.entries(others).slice(1 - maxRepositories);
    const all = Object.fromEntries([...kept, [description.root, openHashes(description)]]);
    const written = writeAtomic(
      path,
      `${JSON.stringify({ format: 1, repositories: all }, null, 2)}\n`,
      0o600,
    );
    return written.ok ? ok(undefined) : written;
  });
}

function openHashes({ pieces }: TrustDescription): string[] {
  return pieces
    .filter(({ standing }) => standing === 'new' || standing === 'changed')
    .flatMap(({ piece }) => hashPiece(piece) ?? []);
}

function locateDeclined(home: string): string {
  return join(home, 'declined.json');
}

/** An unreadable record declines nothing: the question is asked once more. */
function readDeclined(home: string): Declined {
  const file = parseJson(readBoundedText(locateDeclined(home), maxBytes) ?? '');
  if (!isRecord(file) || file.format !== 1 || !isRecord(file.repositories)) return {};
  return Object.fromEntries(
    Object.entries(file.repositories).filter((entry): entry is [string, string[]] => Array.isArray(entry[1])),
  );
}

const maxBytes = 16 * 1024 * 1024;
