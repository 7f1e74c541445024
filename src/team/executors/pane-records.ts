import { join } from 'node:path';
import { isRecord } from '../../lib/fields/field-values.ts';
import { parseJson } from '../../lib/fields/parse-json.ts';
import { ensurePrivateDirectory, writeAtomic } from '../../lib/files/atomic.ts';
import { isThere, readSmallText, removeQuietly } from '../../lib/files/small-files.ts';
import { isOfDead, nameByProcess } from '../../lib/files/temporary-names.ts';
import type { Locality, Machine } from '../../lib/machine.ts';
import type { ProcessMark } from '../../lib/processes/mark.ts';
import type { Result } from '../../lib/result.ts';
import { isTeamName, locateTeam, locateTeams, type TeamPlace } from '../team-place.ts';
import { type ExecutorType, executorTypes } from './executor.ts';

/**
 * A pane that was opened, or is about to be: written before it is opened, so that a leader that is killed at any moment leaves
 * no pane that its next start cannot find.
 */
export interface PaneRecord {
  format: 1;
  /** One launch of a member; in the pane's mark, and the name of its files. */
  token: string;
  team: string;
  name: string;
  executor: ExecutorType;
  /** Null until the terminal has said it. */
  id: string | null;
  sessionId: string;
  openedAt: string;
  opener: ProcessMark & Locality;
  /** The process in the pane, where the terminal tells. */
  process?: ProcessMark;
}

const maxRecordBytes = 20_000;
const token = /^[a-z0-9]{8,40}$/;

export interface PaneFiles {
  record: string;
  /** For the process in the pane, which removes it. */
  launch: string;
  /** Which process read it. */
  process: string;
}

export function locatePaneFiles({ directory }: TeamPlace, name: string): PaneFiles {
  const file = (kind: string) => join(directory, 'panes', `${name}.${kind}.json`);
  return { record: file('pane'), launch: file('launch'), process: file('process') };
}

export function writePaneRecord(place: TeamPlace, record: PaneRecord, { disk }: Machine): Result<void> {
  const ready = ensurePrivateDirectory(join(place.directory, 'panes'), disk);
  if (!ready.ok) return ready;
  const { record: path } = locatePaneFiles(place, record.token);
  return writeAtomic(path, `${JSON.stringify(record)}\n`, 0o600, `${nameByProcess()}.tmp`, undefined, disk);
}

/** The panes of one team, the latest first. */
export function listPaneRecords(place: TeamPlace, machine: Machine): PaneRecord[] {
  return listQuietly(join(place.directory, 'panes'), machine)
    .flatMap((file) => {
      const [, name] = /^([a-z0-9]+)\.pane\.json$/.exec(file) ?? [];
      return name === undefined ? [] : (readPaneRecord(place, name, machine) ?? []);
    })
    .toSorted((one, other) => other.openedAt.localeCompare(one.openedAt));
}

/** Those of all teams of a home. */
export function listAllPaneRecords(home: string, machine: Machine): PaneRecord[] {
  return listQuietly(locateTeams(home), machine)
    .filter(isTeamName)
    .flatMap((team) => listPaneRecords(locateTeam(home, team), machine));
}

export function readPaneRecord(place: TeamPlace, name: string, machine: Machine): PaneRecord | undefined {
  const files = locatePaneFiles(place, name);
  const found = checkRecord(parseJson(readSmallText(files.record, maxRecordBytes, machine.disk) ?? ''));
  return found?.team === place.name && found.token === name ? found : undefined;
}

/** The process that read the launch file, as it noted itself. */
export function readPaneProcess(place: TeamPlace, name: string, { disk }: Machine): ProcessMark | undefined {
  const { process } = locatePaneFiles(place, name);
  return checkProcess(parseJson(readSmallText(process, maxRecordBytes, disk) ?? ''));
}

/**
 * The launch file first: a process that starts late then finds nothing to do. Its processes have ended: what one of them was
 * writing goes too.
 */
export function removePaneFiles(place: TeamPlace, name: string, machine: Machine): void {
  const { record, launch, process } = locatePaneFiles(place, name);
  for (const path of [launch, process, record]) removeQuietly(path, machine.disk);
  const directory = join(place.directory, 'panes');
  for (const file of listQuietly(directory, machine))
    if (file.startsWith(`.${name}.`)) removeQuietly(join(directory, file), machine.disk);
}

/** Files of panes that nothing needs, in all teams: temporary ones of dead processes, torn ones, and those without a record. */
export function removeStrayFiles(home: string, machine: Machine): void {
  for (const team of listQuietly(locateTeams(home), machine).filter(isTeamName)) {
    const directory = join(locateTeam(home, team).directory, 'panes');
    const remove = (isStray: (file: string, path: string) => boolean) => {
      for (const file of listQuietly(directory, machine)) {
        const path = join(directory, file);
        if (isStray(file, path)) removeQuietly(path, machine.disk);
      }
    };
    remove((file, path) => (file.endsWith('.pane.json') ? isTorn(path, machine) : isOfDead(path)));
    remove((file) => {
      const [, name] = /^([a-z0-9]+)\.(?:launch|process)\.json$/.exec(file) ?? [];
      // Looked for now: a leader that opens a pane meanwhile writes its record first.
      return name !== undefined && !isThere(join(directory, `${name}.pane.json`), machine.disk);
    });
  }
}

/** Not one of a later version, which is left to it. */
function isTorn(path: string, { disk }: Machine): boolean {
  const text = readSmallText(path, maxRecordBytes, disk);
  return text !== undefined && parseJson(text) === undefined;
}

function checkRecord(found: unknown): PaneRecord | undefined {
  if (!isRecord(found) || found.format !== 1) return undefined;
  const { token: name, team, name: member, executor, id, sessionId, openedAt } = found;
  const opener = checkOpener(found.opener);
  const type = executorTypes.find((one) => one === executor);
  if (!isText(name) || !token.test(name) || !isText(team) || !isTeamName(team)) return undefined;
  if (!isText(member) || !isTeamName(member) || !type || !opener) return undefined;
  if (!(id === null || isText(id)) || !isText(sessionId) || !isText(openedAt)) return undefined;
  const process = checkProcess(found.process);
  const known = { token: name, team, name: member, executor: type, id, sessionId, openedAt, opener };
  return { format: 1, ...known, ...(process ? { process } : {}) };
}

function checkOpener(found: unknown): PaneRecord['opener'] | undefined {
  const mark = checkProcess(found);
  if (!mark || !isRecord(found) || !isText(found.host) || !isText(found.space)) return undefined;
  return { ...mark, host: found.host, space: found.space };
}

function checkProcess(found: unknown): ProcessMark | undefined {
  if (!isRecord(found)) return undefined;
  const { pid, start } = found;
  return typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 1 && isText(start)
    ? { pid, start }
    : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function listQuietly(directory: string, { disk }: Machine): string[] {
  try {
    return disk.list(directory);
  } catch {
    return [];
  }
}
