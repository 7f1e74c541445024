import type { Clock } from '../../lib/clock.ts';
import { timestamp } from '../../lib/clock.ts';
import { fail, ok, type Problem, type Result, usage } from '../../lib/result.ts';
import { isWithin } from '../../workspace/paths.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { openTrust, type Trust, type TrustStanding } from '../trust.ts';
import { changeTrust } from './change-file.ts';
import { type Collected, ownCollectors, type PieceCollector, type TrustPlace } from './collect.ts';
import { readTrustFile, type TrustedPiece, type TrustedRepositories } from './file.ts';
import { hashEntry, hashPiece, listPieceEntries, type TrustEntry, type TrustPiece } from './piece.ts';

/** Every privileged piece in a repository, and the user's trust in it. Granting applies to this content, not to the files' content by then. */
export interface TrustDescription {
  /** The real path that trust is bound to. */
  root: string;
  pieces: DescribedPiece[];
  /** Files whose privileges are unknown. */
  problems: string[];
  /** Why earlier trust is ignored. */
  damage?: Problem;
  /** Why this directory cannot be trusted at all. */
  refusal?: Problem;
}

export interface DescribedPiece {
  piece: TrustPiece;
  /** `refused`: it can never be trusted. */
  standing: TrustStanding | 'refused';
  /** `isNew`: not part of what was trusted before. */
  entries: (TrustEntry & { isNew: boolean })[];
  /** How many lines trusted before are gone. */
  gone: number;
}

/** Reads everything in the repository that would need trust. Read-only; `more` finds pieces of further kinds. */
export async function describeTrust(
  place: TrustPlace,
  more: readonly PieceCollector[] = [],
): Promise<Result<TrustDescription>> {
  const found: Collected = { pieces: [], problems: [] };
  for (const collect of [...ownCollectors, ...more]) {
    const collected = await collect(place);
    if (!collected.ok) return collected;
    found.pieces.push(...collected.value.pieces);
    found.problems.push(...collected.value.problems);
  }
  const trust = openTrust(place);
  const root = resolveRealPath(place.root);
  const refusal = findRootRefusal(root, resolveRealPath(place.userHome));
  const damage = trust.problem();
  return ok({
    root,
    pieces: found.pieces.map((piece) => describePiece(piece, trust)),
    problems: found.problems,
    damage,
    refusal,
  });
}

function describePiece(piece: TrustPiece, trust: Trust): DescribedPiece {
  const before = new Set(trust.known(piece)?.entries ?? []);
  const entries = listPieceEntries(piece).map((entry) => ({ entry, hash: hashEntry(entry) }));
  const now = new Set(entries.map(({ hash }) => hash));
  const isRefused = piece.leadsTo !== undefined || hashPiece(piece) === undefined;
  return {
    piece,
    standing: isRefused ? 'refused' : trust.findStanding(piece),
    entries: entries.map(({ entry, hash }) => ({ ...entry, isNew: !before.has(hash) })),
    gone: [...before].filter((hash) => !now.has(hash)).length,
  };
}

/** The home directory, and what is above it. */
export function holdsEverything(root: string, userHome: string): boolean {
  return isWithin(userHome, root);
}

/** Trusting a directory that holds everything would mean trusting everything added to it. */
function findRootRefusal(root: string, userHome: string): Problem | undefined {
  if (!holdsEverything(root, userHome)) return undefined;
  const what = root === userHome ? 'your home directory' : 'a directory that contains your home directory';
  const message = `${root} is ${what}; it cannot be trusted as a repository.`;
  return {
    kind: 'usage',
    message,
    hint: "Change to the project's own directory (git init makes it a repository), or use --trust for one run.",
  };
}

/** Trusts the described pieces, from now on and in every session. Returns how many pieces were not trusted before. */
export async function grantTrust(
  { root, pieces, refusal }: TrustDescription,
  place: Pick<TrustPlace, 'home'>,
  clock: Clock,
): Promise<Result<number>> {
  if (refusal) return fail(refusal);
  const open = pieces.filter(({ standing }) => standing === 'new' || standing === 'changed');
  const trusted = open.flatMap(({ piece }) => trustedPiece(piece, clock));
  if (trusted.length === 0) return ok(0);
  return changeTrust(place.home, clock, (repositories) => {
    addPieces(repositories, root, trusted);
    return ok(trusted.length);
  });
}

/** Beyond this number, lines of a changed piece count as new. */
const maxEntries = 2_000;

export function trustedPiece(piece: TrustPiece, clock: Clock): TrustedPiece[] {
  const hash = hashPiece(piece);
  if (hash === undefined || piece.leadsTo !== undefined) return [];
  const { kind, file, name } = piece;
  const entries = [...new Set(listPieceEntries(piece).slice(0, maxEntries).map(hashEntry))];
  return [{ kind, file, name, hash, entries, trustedAt: timestamp(clock) }];
}

/** Replaces the records of the same pieces; all others stay. */
export function addPieces(
  repositories: TrustedRepositories,
  root: string,
  pieces: readonly TrustedPiece[],
): void {
  const isSame = (a: TrustedPiece, b: TrustedPiece) =>
    a.kind === b.kind && a.file === b.file && a.name === b.name;
  const others = (repositories.get(root) ?? []).filter((old) => !pieces.some((piece) => isSame(piece, old)));
  repositories.set(root, [...others, ...pieces]);
}

/** Forgets all trust in a repository, even a deleted one. Returns the number of pieces. */
export async function revokeTrust(
  root: string,
  place: Pick<TrustPlace, 'home'>,
  clock: Clock,
): Promise<Result<number>> {
  return changeTrust(place.home, clock, (repositories) => {
    const names = [root, resolveRealPath(root)];
    const count = Math.max(...names.map((name) => repositories.get(name)?.length ?? 0));
    for (const name of names) repositories.delete(name);
    return ok(count);
  });
}

/** Every repository in which the user trusts something. */
export function listTrusted({ home }: Pick<TrustPlace, 'home'>): Result<TrustedRepositories> {
  const { repositories, damage } = readTrustFile(home);
  return damage ? usage(damage.problem.message, damage.problem.hint) : ok(repositories);
}
