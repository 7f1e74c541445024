import { createRequire } from 'node:module';
import type { SocketPeer } from './connection.ts';

/** From <asm/socket.h>, for all architectures that Cadre is built for. */
const solSocket = 1;
const soPeerCredentials = 17;

/**
 * Asks the system which process connected. Linux with glibc only: elsewhere the modes of the socket and its directory are the
 * only protection. Neither Bun nor Node has a call for it.
 */
export function readPeer(descriptor: number): SocketPeer | undefined {
  if (process.platform !== 'linux' || typeof Bun === 'undefined') return undefined;
  try {
    const { dlopen, ptr } = createRequire(import.meta.url)('bun:ffi') as typeof import('bun:ffi');
    const library = dlopen('libc.so.6', {
      getsockopt: { args: ['int', 'int', 'int', 'ptr', 'ptr'], returns: 'int' },
    });
    const credentials = new Int32Array(3);
    const length = new Int32Array([credentials.byteLength]);
    const failed = library.symbols.getsockopt(
      ...([descriptor, solSocket, soPeerCredentials] as const),
      ...([ptr(credentials), ptr(length)] as const),
    );
    const [pid = 0, uid = -1] = credentials;
    library.close();
    return failed === 0 ? { pid, uid: uid >>> 0 } : undefined;
  } catch {
    return undefined;
  }
}
