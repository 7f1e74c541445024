import { join } from 'node:path';
import { parseJson } from '../../lib/fields/parse-json.ts';
import { ensurePrivateDirectory, writeAtomic } from '../../lib/files/atomic.ts';
import { isThere, listQuietly, readSmallText, removeQuietly } from '../../lib/files/small-files.ts';
import { isOfDead, nameByProcess } from '../../lib/files/temporary-names.ts';
import { form } from '../../lib/form/form.ts';
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
  return listQuietly(join(place.directory, 'panes'), machine.disk)
    .flatMap((file) => {
      const [, name] = /^([a-z0-9]+)\.pane\.json$/.exec(file) ?? [];
      return name === undefined ? [] : (readPaneRecord(place, name, machine) ?? []);
    })
    .toSorted((one, other) => other.openedAt.localeCompare(one.openedAt));
}

/** Those of all teams of a home. */
export function listAllPaneRecords(home: string, machine: Machine): PaneRecord[] {
  return listQuietly(locateTeams(home), machine.disk)
    .filter(isTeamName)
    .flatMap((team) => listPaneRecords(locateTeam(home, team), machine));
}

export function readPaneRecord(place: TeamPlace, name: string, machine: Machine): PaneRecord | undefined {
  const files = locatePaneFiles(place, name);
  const { data } = schema.safeParse(
    parseJson(readSmallText(files.record, maxRecordBytes, machine.disk) ?? ''),
  );
  return data?.team === place.name && data.token === name && isTeamName(data.name) ? data : undefined;
}

/** The process that read the launch file, as it noted itself. */
export function readPaneProcess(place: TeamPlace, name: string, { disk }: Machine): ProcessMark | undefined {
  const path = locatePaneFiles(place, name).process;
  return process.safeParse(parseJson(readSmallText(path, maxRecordBytes, disk) ?? '')).data;
}

/**
 * The launch file first: a process that starts late then finds nothing to do. Its processes have ended: what one of them was
 * writing goes too.
 */
export function removePaneFiles(place: TeamPlace, name: string, machine: Machine): void {
  const { record, launch, process } = locatePaneFiles(place, name);
  for (const path of [launch, process, record]) removeQuietly(path, machine.disk);
  const directory = join(place.directory, 'panes');
  for (const file of listQuietly(directory, machine.disk))
    if (file.startsWith(`.${name}.`)) removeQuietly(join(directory, file), machine.disk);
}

/** Files of panes that nothing needs, in all teams: temporary ones of dead processes, torn ones, and those without a record. */
export function removeStrayFiles(home: string, machine: Machine): void {
  for (const team of listQuietly(locateTeams(home), machine.disk).filter(isTeamName)) {
    const directory = join(locateTeam(home, team).directory, 'panes');
    const remove = (isStray: (file: string, path: string) => boolean) => {
      for (const file of listQuietly(directory, machine.disk)) {
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

const text = form.string();
const mark = { pid: form.int().min(2), start: text };
const process = form.object(mark);

const schema = form.object({
  format: form.literal(1),
  token: text.regex(/^[a-z0-9]{8,40}$/),
  team: text,
  name: text,
  executor: form.enum(executorTypes),
  id: text.nullable(),
  sessionId: text,
  openedAt: text,
  opener: form.object({ ...mark, host: text, space: text }),
  process: process.optional(),
});
