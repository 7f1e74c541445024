import { rmSync, writeFileSync } from '../../lib/files/exact-files.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { isOfDead, nameByProcess } from '../../lib/files/temporary-names.ts';
import { form } from '../../lib/form/form.ts';
import { listKnown } from '../../lib/told.ts';
import { journalFolder } from './journal.ts';
import { listNames, statEntry } from './look.ts';
import { releaseStandIn } from './stand-ins.ts';

const ending = '.places';

/**
 * Records the directories that are about to be made for a command. Its journal, which names them too, is written when it starts:
 * what a process that is killed before has made would be found by no other. Returns the function that removes the record.
 */
export function noteStandIns(home: string, paths: readonly string[]): () => void {
  const missing = paths.filter((path) => statEntry(path) === undefined);
  if (missing.length === 0) return () => {};
  const directory = join(home, journalFolder);
  const path = join(directory, `${nameByProcess()}${ending}`);
  try {
    if (statEntry(directory) === undefined) ensurePrivateDirectory(directory);
    writeFileSync(path, JSON.stringify(missing), { mode: 0o600, flag: 'wx' });
  } catch {
    // A home that cannot be written is reported where it matters.
  }
  return () => rmSync(path, { force: true });
}

/** Records of processes that were killed. */
export function findLeftStandIns(home: string): string[] {
  const directory = join(home, journalFolder);
  return listKnown(listNames(directory))
    .filter((name) => name.endsWith(ending))
    .map((name) => join(directory, name))
    .filter((path) => isOfDead(path));
}

/** Removes what they name, unless others rely on it or it contains something. */
export function releaseLeftStandIns(home: string): void {
  for (const path of findLeftStandIns(home)) {
    for (const place of readPlaces(path)) releaseStandIn(place, false);
    rmSync(path, { force: true });
  }
}

/** Half a record was written before anything was made. */
function readPlaces(path: string): string[] {
  try {
    return form
      .array(form.string())
      .parse(JSON.parse(readBoundedText(path, maxBytes, { refusesLinks: true }) ?? ''));
  } catch {
    return [];
  }
}

const maxBytes = 1024 * 1024;
