import { rmdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { touchRegular } from '../lib/files/open-regular.ts';
import { ok } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import { sweepPacing } from '../models/pacer/file-store.ts';
import { setLeftAside } from '../sandbox/guard/left-sandboxes.ts';
import { trimTaken } from '../sandbox/guard/taken.ts';
import { listIneffective } from '../sandbox/ineffective.ts';
import { sweepCache } from '../settings/definition-cache.ts';
import { variableNotices } from '../settings/environment.ts';
import type { HeldSetting, LoadedSettings } from '../settings/load.ts';
import { settingsTable } from '../settings/table/settings.ts';
import { describeUnheeded } from '../settings/unheeded.ts';
import { keepHomeLimit } from '../store/home-limit.ts';
import { sweepSessions } from '../store/retention.ts';
import { locateRuns } from '../workflows/read-journal.ts';
import { sweepRuns } from '../workflows/sweep-runs.ts';
import { listRecords } from '../workspace/worktrees/record.ts';
import type { Kernel } from './kernel.ts';
import type { SessionFeature } from './opening.ts';
import { isClaimed } from './owner.ts';
import { noteRemoved, takeRemovedNote } from './removed-note.ts';
import { isDirectory, type Surroundings } from './surroundings.ts';

/** The surroundings of a session from start to end: its claim, its files, its tape. `found`: notices from before it was opened. */
export function housekeepingFeature(found: readonly string[]): SessionFeature {
  return {
    name: 'housekeeping',
    open(kernel) {
      const { settings, environment, log, tape, claim } = kernel;
      return {
        notices: [
          ...found,
          ...(tape?.isReplay ? [] : takeRemovedNote(kernel.place.home)),
          ...settingsNotices(settings),
          ...directoryNotices(settings),
          ...variableNotices(environment),
        ],
        close({ isPassed }) {
          log.close();
          claim.release();
          const finished = tape?.finish() ?? ok(undefined);
          if (!isPassed) tidyUp(kernel);
          return finished;
        },
      };
    },
  };
}

const dayMs = 24 * 60 * 60 * 1000;
const usualDays = settingsTable.cleanupPeriodDays.usual;
const usualMegabytes = settingsTable.cleanupMaxMegabytes.usual;

/** Clean-up when a session ends: its own leftovers, and once a day those of old sessions. */
export function tidyUp({ identity, options, place: around, settings, tape }: Kernel): void {
  if (tape?.isReplay) {
    rmSync(around.layout.home, { recursive: true, force: true });
    return;
  }
  for (const act of around.atEnd.splice(0)) act();
  if (options.persist === false) forget(identity.files.directory);
  const marker = join(around.home, '.swept');
  const now = around.outside.clock.now();
  const last = lastSweep(marker);
  if (last <= now && now - last < dayMs) return;
  // The clock may be wrong today: a session must have been old at the last sweep already.
  const asOf = last > now ? 0 : last;
  // First, so that a session's directory is small from here on, whatever its commands made.
  setLeftAside(
    around.layout.projects,
    around.layout.home,
    (sessionId) => sessionId !== identity.id && !isClaimed(around.layout.home, sessionId),
  );
  const isHeld = holdSessions(around.layout.home, identity.files.directory);
  sweepSessions(around.layout, {
    olderThanDays: settings.cleanupPeriodDays ?? usualDays,
    now: asOf,
    isInUse: isHeld,
  });
  sweepRuns(locateRuns(around.home), {
    olderThanDays: settings.cleanupPeriodDays ?? usualDays,
    now: asOf,
    machine: around.machine,
  });
  sweepCache(around.home, asOf - usualDays * dayMs);
  sweepPacing(around.home, asOf - usualDays * dayMs);
  trimTaken(around.home, asOf);
  limitHome(around, settings, isHeld);
  try {
    touchRegular(marker);
    utimesSync(marker, now / 1_000, now / 1_000);
  } catch {
    // An unwritable home is reported where it matters; old sessions can wait.
  }
}

type IsHeld = (directory: string) => boolean;

/** Sessions in use stay, and those with worktrees: work that is not landed is resumed from them. */
function holdSessions(home: string, own: string): IsHeld {
  const working = new Set(listRecords(home).map(({ session }) => session));
  return (directory) =>
    directory === own || working.has(basename(directory)) || isClaimed(home, basename(directory));
}

function limitHome({ layout, outside }: Surroundings, settings: LoadedSettings, isHeld: IsHeld): void {
  const maxBytes = (settings.cleanupMaxMegabytes ?? usualMegabytes) * 1024 * 1024;
  const removed = keepHomeLimit(layout, { maxBytes, isHeld, now: outside.clock.now() });
  noteRemoved(layout.home, removed, maxBytes);
}

/** An empty project directory is removed too, since its name shows where the user worked. */
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

/** Settings that were asked for but have no effect. */
function settingsNotices(settings: LoadedSettings): string[] {
  const named = (entries: { key: string; file: string }[]) =>
    entries.map((entry) => `${entry.key} (${entry.file})`).join(', ');
  const held = byFile(settings.held.filter((entry) => entry.liftedBy === 'trust'));
  const links = byFile(settings.held.filter((entry) => entry.leadsTo !== undefined));
  const ignored = named(
    settings.held.filter((entry) => entry.liftedBy === 'nothing' && entry.leadsTo === undefined),
  );
  return [
    ...(held ? [`Inactive until you trust this repository: ${held}. ${howToTrust}`] : []),
    ...(links ? [`Ignored, because links may not point outside the repository: ${links}.`] : []),
    ...(settings.trustProblem ? [settings.trustProblem] : []),
    ...(ignored ? [`Ignored, because a repository may not set it: ${ignored}.`] : []),
    ...describeUnheeded(settings.unheeded),
  ];
}

/** The directory may be made later, but the path is more likely misspelt. */
function directoryNotices({ permissions, sandbox, origin }: LoadedSettings): string[] {
  const writing = 'sandbox.filesystem.allowWrite';
  const notWritable = listIneffective(sandbox).map(
    ({ path, why }) =>
      `${writing} (${origin.get(`${writing}.${path}`)?.file ?? 'settings'}): ${visibleLine(path, 500)} ${why}.`,
  );
  const missing = permissions.additionalDirectories
    .filter((path) => !isDirectory(path))
    .map((path) => {
      const key = 'permissions.additionalDirectories';
      const file = origin.get(`${key}.${path}`)?.file ?? 'settings';
      return `${key} (${file}): ${visibleLine(path, 500)} is not a directory.`;
    });
  return [...missing, ...notWritable];
}

const howToTrust = 'Run cadre trust to review it, or use --trust to let it take effect in this run.';

/** `env, model (/repo/.cadre/settings.json, changed since you trusted it)` */
function byFile(held: readonly HeldSetting[]): string {
  const files = [...new Set(held.map((entry) => entry.file))];
  return files
    .map((file) => {
      const entries = held.filter((entry) => entry.file === file);
      const { changed, leadsTo } = entries[0] ?? {};
      const where = `${file}${leadsTo === undefined ? '' : ` → ${leadsTo}`}`;
      const since = changed ? ', changed since you trusted it' : '';
      return `${entries.map((entry) => entry.key).join(', ')} (${visibleLine(where, 500)}${since})`;
    })
    .join('; ');
}
