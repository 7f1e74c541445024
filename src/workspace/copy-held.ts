import { closeSync, constants, copyFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openReal } from '../lib/files/open-real.ts';
import { descriptorPath, type RealPath, RealPlaces } from '../lib/files/real-places.ts';
import { fail, formatError, ok, type Result } from '../lib/result.ts';

/**
 * Copies a file, or a link as a link, from one real path to another where nothing exists yet, without following any link. The
 * problem completes "was not copied: ".
 */
export function copyHeld(from: RealPath, to: RealPath): Result<void, string> {
  const [sources, targets] = [new RealPlaces(), new RealPlaces()];
  try {
    const found = sources.look(from);
    if (found.state === 'failed') return fail(formatError(found.error));
    if (found.state !== 'found') return fail('it no longer exists, or its path contains a link');
    const directory = targets.makeDirectory(dirname(to));
    if (directory.state === 'failed') return fail(formatError(directory.error));
    if (directory.state !== 'found') return fail('a link would redirect it elsewhere');
    const here = join(directory.value, basename(to));
    return found.value.isSymbolicLink() ? copyLink(from, here, sources) : copyContent(from, here, sources);
  } catch (error) {
    return fail(formatError(error));
  } finally {
    sources.close();
    targets.close();
  }
}

function copyLink(from: RealPath, here: string, sources: RealPlaces): Result<void, string> {
  const parent = sources.directory(dirname(from));
  if (parent.state !== 'found') return fail('it was moved meanwhile');
  symlinkSync(readlinkSync(join(parent.value, basename(from))), here);
  return ok(undefined);
}

function copyContent(from: RealPath, here: string, sources: RealPlaces): Result<void, string> {
  const opened = openReal(from, sources);
  const descriptor = opened.state === 'found' ? opened.value.descriptor : undefined;
  if (descriptor === undefined) return fail('it is not a regular file');
  try {
    const source = process.platform === 'linux' ? descriptorPath(descriptor) : from;
    copyFileSync(source, here, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    return ok(undefined);
  } finally {
    closeSync(descriptor);
  }
}
