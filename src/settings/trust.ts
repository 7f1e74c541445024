import { relative } from 'node:path';
import type { Problem } from '../lib/result.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { readTrustFile, type TrustedPiece, type TrustFile } from './trust/file.ts';
import { hashPiece, type TrustPiece } from './trust/piece.ts';

export type { TrustKind, TrustPiece } from './trust/piece.ts';

/** Whether the user has trusted a piece exactly as it is, another version of it, or none. */
export type TrustStanding = 'trusted' | 'changed' | 'new';

/**
 * The user's trust in one repository. Every room asks here before something in a repository takes effect: it makes a
 * piece from the exact bytes that it would act on, and acts only if `isTrusted` says so. Without a piece there is
 * no privilege, and nothing to ask.
 */
export interface Trust {
  isTrusted(piece: TrustPiece): boolean;
  findStanding(piece: TrustPiece): TrustStanding;
  /** The piece as it was trusted, whatever its current content. */
  known(piece: TrustPiece): TrustedPiece | undefined;
  /** Why nothing is trusted although something may have been. */
  problem(): Problem | undefined;
}

export interface TrustOptions {
  /** Our own state directory. */
  home: string;
  /** The repository's root; the start directory if there is no repository. */
  root: string;
  /** `--trust`: everything is trusted in this run. Nothing is stored. */
  everything?: boolean;
}

/** Read on first use, and only once, so that one state applies to the whole run. */
export function openTrust(options: TrustOptions): Trust {
  let file: TrustFile | undefined;
  const read = () => {
    file ??= readTrustFile(options.home);
    return file;
  };
  const root = once(() => resolveRealPath(options.root));

  function known({ kind, file, name }: TrustPiece): TrustedPiece | undefined {
    const pieces = read().repositories.get(root()) ?? [];
    return pieces.find((piece) => piece.kind === kind && piece.file === file && piece.name === name);
  }

  function findStanding(piece: TrustPiece): TrustStanding {
    const found = known(piece);
    if (!found) return 'new';
    const hash = piece.leadsTo === undefined ? hashPiece(piece) : undefined;
    return hash !== undefined && hash === found.hash ? 'trusted' : 'changed';
  }

  return {
    findStanding,
    known,
    isTrusted(piece) {
      if (piece.leadsTo !== undefined) return false;
      return options.everything === true || findStanding(piece) === 'trusted';
    },
    problem: () => (options.everything === true ? undefined : read().damage?.problem),
  };
}

/** A file's name in a piece: relative to the root of the repository. */
export function pieceFile(root: string, file: string): string {
  return relative(root, file);
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
