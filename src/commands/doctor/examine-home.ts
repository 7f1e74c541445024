import { join } from 'node:path';
import { formatTime } from '../../lib/text/duration.ts';
import { findLeftovers, sweepDead } from '../../session/owner.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { settingsTable } from '../../settings/table/settings.ts';
import { measureTree } from '../../store/home-limit.ts';
import type { DoctorCheck } from './check.ts';

const maxNamed = 5;

/** What killed processes left; the next start removes it. */
export async function leftoverCheck({ home, layout }: Surroundings, fix: boolean): Promise<DoctorCheck> {
  const name = 'leftovers';
  const found = findLeftovers(home);
  const { readJournals } = await import('../../sandbox/guard/left-journals.ts');
  const { findLeft, removeLeft } = await import('../../sandbox/guard/left-sandboxes.ts');
  const { findLeftStandIns } = await import('../../sandbox/guard/noted-places.ts');
  const cutOff = readJournals(home).filter((one) => !one.isLive).length + findLeftStandIns(home).length;
  const left = findLeft(home).length;
  const { findLeftFiles, sweepLeftFiles } = await import('../../session/left-files.ts');
  const temporary = findLeftFiles(layout, true);
  const pids = found.flatMap((one) => one.pids);
  if (found.length + cutOff + left + temporary.length === 0)
    return { name, state: 'ok', text: 'nothing left behind by crashed sessions' };
  const commands = cutOff > 0 ? `, ${count(cutOff, 'interrupted command')}` : '';
  const files = left > 0 ? `, ${left} private /tmp directories` : '';
  const more = temporary.length > maxNamed ? ` and ${temporary.length - maxNamed} more` : '';
  const named = temporary.slice(0, maxNamed).join(', ');
  const others = named === '' ? '' : `, ${count(temporary.length, 'temporary file')}: ${named}${more}`;
  const what = `${count(found.length, 'crashed session')}, ${count(pids.length, 'process', 'processes')}${pids.length > 0 ? `: ${pids.join(', ')}` : ''}${commands}${files}${others}`;
  if (!fix)
    return {
      name,
      state: 'warning',
      text: `${what}; run cadre doctor --fix to clean up, or start a session`,
    };
  const { sweepConfined, sweepSandboxes } = await import('../../session/sandbox.ts');
  sweepSandboxes(layout);
  const kept = sweepLeftFiles(layout, true);
  sweepDead(home);
  const said = await sweepConfined(home);
  const isGone = await removeLeft(home);
  const rest = [
    ...(isGone ? [] : [`some files that commands left in ${home} could not be removed`]),
    ...(kept.length > 0 ? [`could not be removed: ${kept.slice(0, maxNamed).join(', ')}`] : []),
  ];
  return {
    name,
    state: rest.length === 0 ? 'ok' : 'warning',
    text: [`${what}; ended`, ...said, ...rest].join('; '),
  };
}

/** Models that accept nothing for hours, by what their providers said: one that was wrong can be forgotten. */
export async function limitCheck({ home, clock }: Surroundings, fix: boolean): Promise<DoctorCheck[]> {
  const { forgetHold, listStoredHolds } = await import('../../models/pacer/stored-holds.ts');
  const now = clock.now();
  const holds = listStoredHolds(home, now);
  if (holds.length === 0) return [];
  const latest = new Map(
    holds.toSorted((one, other) => one.until - other.until).map(({ model, until }) => [model, until]),
  );
  const named = [...latest]
    .slice(0, maxNamed)
    .map(([model, until]) => `${model} until ${formatTime(until, now)}`);
  const more = latest.size > maxNamed ? ` and ${latest.size - maxNamed} more` : '';
  const what = `suspended by their providers: ${named.join(', ')}${more}`;
  if (fix) for (const hold of holds) forgetHold(hold);
  const next = fix
    ? 'forgotten: the next request asks again'
    : 'if that is wrong, cadre doctor --fix forgets it';
  return [{ name: 'limits', state: fix ? 'ok' : 'warning', text: `${what}; ${next}` }];
}

/** Files that commands made where they may not, and where they are now. */
export async function takenCheck(home: string): Promise<DoctorCheck> {
  const { listTaken, takenFolder, takenLimits } = await import('../../sandbox/guard/taken.ts');
  const all = listTaken(home);
  const bytes = all.reduce((sum, one) => sum + one.bytes, 0);
  const kept = `kept for ${takenLimits.days} days and up to ${megabytes(takenLimits.bytes)}`;
  const text =
    all.length === 0
      ? 'no files were moved out of protected paths'
      : `files moved out of protected paths ${count(all.length, 'time')}, ${megabytes(bytes)} in ${join(home, takenFolder)}; ${kept}`;
  return { name: 'taken', state: 'ok', text };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(bytes > 0 && bytes < 1024 * 1024 ? 1 : 0)} MB`;
}

/** The stored runs of workflows, which are removed as old sessions are. */
export async function runCheck(
  { home, machine }: Surroundings,
  settings: LoadedSettings | undefined,
): Promise<DoctorCheck> {
  const { listRecordedRuns } = await import('../../workflows/list-runs.ts');
  const { locateRuns } = await import('../../workflows/read-journal.ts');
  const { runs, broken } = await listRecordedRuns(locateRuns(home), machine);
  const days = settings?.cleanupPeriodDays ?? settingsTable.cleanupPeriodDays.usual;
  const suspended = runs.filter(({ status }) => status === 'suspended').length;
  const kept = suspended > 0 ? `; suspended, and kept until resumed: ${suspended}` : '';
  const text = `${count(runs.length, 'workflow run')} in ${locateRuns(home)}, removed after ${days} days (cleanupPeriodDays)${kept}`;
  if (broken.length === 0) return { name: 'workflow runs', state: 'ok', text };
  const named = broken.slice(0, maxNamed).join(' ');
  return { name: 'workflow runs', state: 'warning', text: `${text}; cannot be read: ${named}` };
}

/** The size of our own directory, and how much it may have. */
export function storageCheck(home: string, settings: LoadedSettings | undefined): DoctorCheck {
  const limit = (settings?.cleanupMaxMegabytes ?? settingsTable.cleanupMaxMegabytes.usual) * 1024 * 1024;
  const bytes = measureTree(home);
  const text = `${megabytes(bytes)} of ${megabytes(limit)} (cleanupMaxMegabytes) in ${home}`;
  return bytes <= limit
    ? { name: 'storage', state: 'ok', text }
    : {
        name: 'storage',
        state: 'warning',
        text: `${text}; the longest unused sessions are removed once a day, when a session ends`,
      };
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number === 0 ? 'no' : number} ${number === 1 ? one : many}`;
}
