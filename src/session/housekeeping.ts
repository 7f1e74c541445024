import { rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ok } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import { setLeftAside } from '../sandbox/guard/left-sandboxes.ts';
import { trimTaken } from '../sandbox/guard/taken.ts';
import { listIneffective } from '../sandbox/ineffective.ts';
import { sweepCache } from '../settings/definition-cache.ts';
import { variableNotices } from '../settings/environment.ts';
import type { HeldSetting, LoadedSettings } from '../settings/load.ts';
import { settingsTable } from '../settings/table/settings.ts';
import { sweepSessions } from '../store/retention.ts';
import type { Kernel } from './kernel.ts';
import type { SessionFeature } from './opening.ts';
import { isClaimed } from './owner.ts';
import { isDirectory } from './surroundings.ts';

/** What was found before the session was opened. */
export interface StartFindings {
  /** Gives the session back to other processes. */
  releaseClaim(): void;
  notices: readonly string[];
}

/** What stands around a session from its first moment to its last: its claim, its files, its tape. */
export function housekeepingFeature(found: StartFindings): SessionFeature {
  return {
    name: 'housekeeping',
    open(kernel) {
      const { settings, environment, log, tape } = kernel;
      return {
        notices: [
          ...found.notices,
          ...settingsNotices(settings),
          ...directoryNotices(settings),
          ...variableNotices(environment),
        ],
        close() {
          log.close();
          found.releaseClaim();
          const finished = tape?.finish() ?? ok(undefined);
          tidyUp(kernel);
          return finished;
        },
      };
    },
  };
}

const dayMs = 24 * 60 * 60 * 1000;
const usualDays = settingsTable.cleanupPeriodDays.usual;

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
  // First: a session's directory is then small, whatever its commands made.
  setLeftAside(
    around.layout.projects,
    around.layout.home,
    (sessionId) => sessionId !== identity.id && !isClaimed(around.layout.home, sessionId),
  );
  sweepSessions(around.layout, {
    olderThanDays: settings.cleanupPeriodDays ?? usualDays,
    now,
    isInUse: (directory) =>
      directory === identity.files.directory || isClaimed(around.layout.home, basename(directory)),
  });
  sweepCache(around.home, now - usualDays * dayMs);
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

/** What the settings ask for and do not get. */
function settingsNotices(settings: LoadedSettings): string[] {
  const named = (entries: { key: string; file: string }[]) =>
    entries.map((entry) => `${entry.key} (${entry.file})`).join(', ');
  const held = byFile(settings.held.filter((entry) => entry.liftedBy === 'trust'));
  const links = byFile(settings.held.filter((entry) => entry.leadsTo !== undefined));
  const ignored = named(
    settings.held.filter((entry) => entry.liftedBy === 'nothing' && entry.leadsTo === undefined),
  );
  return [
    ...(held ? [`Held until you trust this repository: ${held}. ${howToTrust}`] : []),
    ...(links ? [`Held, since no link out of the repository has power: ${links}.`] : []),
    ...(settings.trustProblem ? [settings.trustProblem] : []),
    ...(ignored ? [`Ignored, since no repository may ask for it: ${ignored}.`] : []),
    ...settings.unheeded.map(describeUnheeded),
  ];
}

function describeUnheeded({ key, file, meant, ignored }: LoadedSettings['unheeded'][number]): string {
  if (ignored !== undefined) return `${key} (${file}): ${visibleLine(ignored, 500)}.`;
  return `Unknown setting ${key} (${file}) is ignored.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
}

/** A directory may be made later; more likely it is misspelt. */
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

const howToTrust = 'cadre trust shows it and asks; --trust lets it take effect in this run.';

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
