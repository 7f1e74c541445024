import { chmodSync, lstatSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describeFileError, ensurePrivateDirectory } from '../files/files.ts';
import { listNames } from '../files/list-names.ts';
import { fail, ok, type Result } from '../result.ts';
import { connectOnBun, listenOnBun } from './bun-socket.ts';
import type { Accept, LocalConnection, LocalListener } from './connection.ts';
import { connectOnNode, listenOnNode } from './node-socket.ts';

/**
 * Listens on a unix socket that only its owner can reach: mode 0600, in a directory of mode 0700 that is created if needed.
 * On Bun it exists when this returns, before the promise is settled.
 */
export async function listenLocally(path: string, accept: Accept): Promise<Result<LocalListener>> {
  const made = ensurePrivateDirectory(dirname(path));
  if (!made.ok) return made;
  try {
    rmSync(path, { force: true });
    const listen = typeof Bun === 'undefined' ? listenOnNode : listenOnBun;
    const listener = await withShortPath(path, (short) => listen(short, accept));
    // Until here its directory kept others out.
    chmodSync(path, 0o600);
    return ok({
      close() {
        listener.close();
        rmSync(path, { force: true });
      },
    });
  } catch (error) {
    return fail(describeFileError(error, path, 'listen on'));
  }
}

export async function connectLocally(path: string, accept: Accept): Promise<Result<LocalConnection>> {
  const connect = typeof Bun === 'undefined' ? connectOnNode : connectOnBun;
  try {
    return ok(await withShortPath(path, (short) => connect(short, accept)));
  } catch (error) {
    return fail(describeFileError(error, path, 'connect to'));
  }
}

/** Linux allows 107 bytes for the path of a socket, macOS 103. */
const maxPathBytes = 100;

/** A path that is too long is reached through a temporary link in a private directory. */
async function withShortPath<T>(path: string, act: (short: string) => T | Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= maxPathBytes) return act(path);
  // Not TMPDIR, which may itself be long.
  sweepLinks('/tmp');
  const directory = mkdtempSync('/tmp/cadre-');
  try {
    const link = join(directory, 'd');
    symlinkSync(dirname(path), link);
    return await act(join(link, basename(path)));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const maxLinkMs = 60_000;

/** Links of processes that were killed while they used one, which takes a moment. A name for their process would be too long. */
function sweepLinks(parent: string): void {
  for (const name of listNames(parent).filter((one) => /^cadre-\w{6}$/.test(one))) {
    const directory = join(parent, name);
    const found = lstatSync(directory, { throwIfNoEntry: false });
    const isOld = found !== undefined && Date.now() - found.mtimeMs > maxLinkMs;
    if (
      !isOld ||
      !found.isDirectory() ||
      found.uid !== process.getuid?.() ||
      listNames(directory).some((one) => one !== 'd')
    )
      continue;
    if (lstatSync(join(directory, 'd'), { throwIfNoEntry: false })?.isSymbolicLink())
      rmSync(directory, { recursive: true, force: true });
  }
}
