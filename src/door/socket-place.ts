import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A session that a process has open. */
export interface LiveSession {
  /** Cadre's own directory. */
  home: string;
  sessionId: string;
  pid: number;
}

/** The process id is in the name of the socket, so a leftover is never mistaken for that of a running process. */
export function findSocket({ home, sessionId, pid }: LiveSession): string {
  return join(findSocketDirectory(home), `${sessionId}-${pid}.sock`);
}

/** Removes the sockets that killed processes left. */
export function sweepSockets(home: string, isLive: (sessionId: string, pid: number) => boolean): void {
  const directory = findSocketDirectory(home);
  // All are listed before the first is checked, so a session that opens meanwhile is not among them.
  for (const name of listNames(directory)) {
    const [, sessionId, pid] = /^(.+)-(\d+)\.sock$/.exec(name) ?? [];
    if (sessionId === undefined || isLive(sessionId, Number(pid))) continue;
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
