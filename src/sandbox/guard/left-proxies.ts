import { connect } from 'node:net';
import { rmSync } from '../../lib/files/exact-files.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { getErrorCode } from '../../lib/result.ts';
import { listKnown } from '../../lib/told.ts';
import { listNames, statEntry } from './look.ts';

/** Prefix for proxy sockets: short enough for a socket path. */
export const proxyPrefix = '/tmp/cadre-';

/** Removes the directories of proxies whose process was killed: this user's own, where no process listens on the socket. */
export async function removeLeftProxies(prefix: string = proxyPrefix): Promise<void> {
  const place = prefix.slice(0, prefix.lastIndexOf('/'));
  const start = prefix.slice(place.length + 1);
  const own = listKnown(listNames(place))
    .filter((name) => name.startsWith(start))
    .map((name) => join(place, name))
    .filter(isProxy);
  await Promise.all(
    own.map(async (directory) => {
      if (await isRefused(join(directory, 'proxy'))) rmSync(directory, { recursive: true, force: true });
    }),
  );
}

function isProxy(directory: string): boolean {
  const found = statEntry(directory);
  if (!found?.isDirectory() || found.uid !== process.getuid?.()) return false;
  const names = listKnown(listNames(directory));
  return names.length === 1 && statEntry(join(directory, 'proxy'))?.isSocket() === true;
}

function isRefused(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error) => resolve(getErrorCode(error) === 'ECONNREFUSED'));
  });
}
