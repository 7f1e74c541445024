import { join } from 'node:path';
import type { LeasePlace } from '../lib/leases/claims.ts';
import { type Machine, systemMachine } from '../lib/machine.ts';

/** Where the leases of sessions are: which process has which session open. */
export function locateRunning(home: string, machine: Machine = systemMachine): LeasePlace {
  return { directory: join(home, 'running'), machine };
}
