import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tickMs } from '../../src/lib/files/change-time.ts';
import { temporaryDirectory } from './directory.ts';
import { until } from './until.ts';

/**
 * Resolves when what changes from then on has a later time than what changed before, by more than a tick of the file
 * system's clock: within one it counts as the work of the command that runs then.
 */
export async function aTick(): Promise<void> {
  const probe = join(temporaryDirectory().path, 'probe');
  const begun = Date.now();
  await until(() => {
    writeFileSync(probe, '');
    return statSync(probe).ctimeMs > begun + 2 * tickMs;
  });
}
