import { rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { removeLeftSandboxes } from '../permissions/sandbox/left-sandboxes.ts';
import { trimTaken } from '../permissions/sandbox/taken.ts';
import { sweepCache } from '../settings/definition-cache.ts';
import { sweepSessions } from '../store/retention.ts';
import type { Kernel } from './kernel.ts';
import { isClaimed } from './owner.ts';

const dayMs = 24 * 60 * 60 * 1000;
const defaultPeriodDays = 30;

/** What a session does for order's sake when it ends: its own leftovers, and once a day those of old sessions. */
export function tidyUp({ identity, options, place: around, settings, tape }: Kernel): void {
  if (tape?.isReplay) {
    rmSync(around.layout.home, { recursive: true, force: true });
    return;
  }
  for (const act of around.atEnd.splice(0)) act();
  if (options.persist === false) forget(identity.files.directory);
  const marker = join(around.home, '.swept');
  const now = around.outside.clock.now();
  if (now - lastSweep(marker) < dayMs) return;
  sweepSessions(around.layout, {
    olderThanDays: settings.cleanupPeriodDays ?? defaultPeriodDays,
    now,
    isInUse: (directory) =>
      directory === identity.files.directory || isClaimed(around.layout.home, basename(directory)),
  });
  removeLeftSandboxes(
    around.layout.projects,
    (sessionId) => sessionId !== identity.id && !isClaimed(around.layout.home, sessionId),
  );
  sweepCache(around.home, now - defaultPeriodDays * dayMs);
  trimTaken(around.home, now);
  try {
    writeFileSync(marker, '', { mode: 0o600 });
  } catch {
    // A home that cannot be written is reported where it matters; old sessions can wait.
  }
}

/** The project's directory goes too when nothing else is in it: its name tells where somebody worked. */
function forget(sessionDirectory: string): void {
  rmSync(sessionDirectory, { recursive: true, force: true });
  try {
    rmdirSync(dirname(sessionDirectory));
  } catch {
    // Other sessions of this directory are kept there.
  }
}

function lastSweep(marker: string): number {
  try {
    return statSync(marker).mtimeMs;
  } catch {
    return 0;
  }
}
