import { lstatSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { writeAtomic } from '../../lib/files/atomic.ts';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import { hashBytes } from '../../lib/hash.ts';
import { failure, ok, type Result } from '../../lib/result.ts';

/** Where ripgrep comes from: a program on this machine, or bytes inside our own. */
export type RipgrepSource =
  | { kind: 'path'; path: string }
  | { kind: 'embedded'; bytes(): Promise<Uint8Array>; hash: string }
  | { kind: 'missing' };

/** The npm package of this platform. Its own entry throws if the package is missing, so that is not imported. */
export function installedRipgrep(): RipgrepSource {
  try {
    const here = createRequire(import.meta.url);
    const beside = createRequire(here.resolve('@vscode/ripgrep'));
    return {
      kind: 'path',
      path: beside.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`),
    };
  } catch {
    return { kind: 'missing' };
  }
}

/** Finds the program when it is first needed. An embedded one is extracted once into `<home>/bin`, and checked by its hash. */
export function locateRipgrep(source: RipgrepSource, home: string): () => Promise<Result<string>> {
  let located: Promise<Result<string>> | undefined;
  return async () => {
    located ??= locate(source, home);
    const result = await located;
    // A full disk may have room the next time.
    if (!result.ok) located = undefined;
    return result;
  };
}

async function locate(source: RipgrepSource, home: string): Promise<Result<string>> {
  if (source.kind === 'path') return ok(source.path);
  if (source.kind === 'embedded') return await extract(source, join(home, 'bin'));
  return failure(
    `No ripgrep is available for ${process.platform}-${process.arch}. Install the npm package @vscode/ripgrep, or search with grep in Bash.`,
  );
}

async function extract(
  source: Extract<RipgrepSource, { kind: 'embedded' }>,
  directory: string,
): Promise<Result<string>> {
  const path = join(directory, `rg-${source.hash.slice(0, 16)}`);
  if (isIntact(path, source.hash)) return ok(path);
  const made = ensurePrivateDirectory(directory);
  if (!made.ok) return made;
  const bytes = await source.bytes();
  if (hashBytes(bytes) !== source.hash) return failure('The embedded ripgrep is damaged. Reinstall Cadre.');
  const written = writeAtomic(path, bytes, 0o700);
  return written.ok ? ok(path) : written;
}

function isIntact(path: string, hash: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && (stat.mode & 0o777) === 0o700 && hashBytes(readFileSync(path)) === hash;
}
