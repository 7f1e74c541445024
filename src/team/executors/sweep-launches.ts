import type { Clock } from '../../lib/clock.ts';
import { removeQuietly } from '../../lib/files/small-files.ts';
import type { Machine } from '../../lib/machine.ts';
import { locateTeam } from '../team-place.ts';
import { listAllPaneRecords, locatePaneFiles } from './pane-records.ts';

/** A program that is about to start reads its launch file before that. */
const maxStartMs = 60_000;

/**
 * Removes launch files that nothing will read: their leader was killed while it opened the pane. They hold keys, so no start waits with that
 * for the leader's return. The pane's record stays for it.
 */
export function sweepLaunches(home: string, machine: Machine, clock: Clock): void {
  const { host, space } = machine.locality();
  for (const { team, token, opener, openedAt } of listAllPaneRecords(home, machine)) {
    if (opener.host !== host || (opener.space === space && machine.isAlive(opener))) continue;
    if (clock.now() - Date.parse(openedAt) < maxStartMs) continue;
    removeQuietly(locatePaneFiles(locateTeam(home, team), token).launch, machine.disk);
  }
}
