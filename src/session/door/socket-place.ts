import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findSessionOwner } from '../owner.ts';

/** The socket of a session in one process. The process is in its name, so a leftover is never mistaken for a living one. */
export function findSocket(home: string, sessionId: string, pid: number): string {
  return join(findSocketDirectory(home), `${sessionId}-${pid}.sock`);
}

/** Removes the sockets of sessions whose process was killed. A process listens only while it has the session claimed. */
export function sweepSockets(home: string): void {
  const directory = findSocketDirectory(home);
  // Listed before the claims are read: a socket that is seen here had its claim before.
  for (const name of listNames(directory)) {
    const [, sessionId, pid] = /^(.+)-(\d+)\.sock$/.exec(name) ?? [];
    if (sessionId === undefined || findSessionOwner(home, sessionId)?.pid === Number(pid)) continue;
    rmSync(join(directory, name), { force: true });
  }
}

function findSocketDirectory(home: string): string {
  return join(home, 'sockets');
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
