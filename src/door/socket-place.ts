import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { listNames } from '../lib/files/list-names.ts';

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

type IsLive = (sessionId: string, pid: number) => boolean;

/** Removes the sockets that killed processes left. */
export function sweepSockets(home: string, isLive: IsLive): void {
  for (const path of findLeftSockets(home, isLive)) rmSync(path, { force: true });
}

/** All are listed before the first is checked, so a session that opens meanwhile is not among them. */
export function findLeftSockets(home: string, isLive: IsLive): string[] {
  const directory = findSocketDirectory(home);
  return listNames(directory)
    .filter((name) => {
      const [, sessionId, pid] = /^(.+)-(\d+)\.sock$/.exec(name) ?? [];
      return sessionId !== undefined && !isLive(sessionId, Number(pid));
    })
    .map((name) => join(directory, name));
}

function findSocketDirectory(home: string): string {
  return join(home, 'sockets');
}
