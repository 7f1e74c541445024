import { renameSync, rmSync, statSync } from '../../lib/files/exact-files.ts';
import { join } from '../../lib/files/exact-paths.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { isOfDead, isOfElsewhere } from '../../lib/files/temporary-names.ts';
import { form, type OutputOf } from '../../lib/form/form.ts';
import { randomIds } from '../../lib/ids.ts';
import { isSameProcess } from '../../lib/processes/mark.ts';
import { listKnown } from '../../lib/told.ts';
import { beatMs, journalFolder } from './journal.ts';
import { listNames, statEntry } from './look.ts';

/** A busy process may be late to update it. Files the user creates so soon after are kept, and the user is notified. */
const graceMs = 10 * beatMs;

/** Built only where there is a journal: every session looks, and hardly any finds one. */
const buildSchema = () =>
  form.object({
    owner: form.object({ pid: form.number(), start: form.string() }),
    since: form.number(),
    roots: form.array(form.string()),
    placeholders: form.array(form.string()),
    exposed: form.object({
      directories: form.array(form.string()),
      git: form.array(form.object({ directory: form.string(), guarded: form.array(form.string()) })),
      paths: form.array(form.string()),
      noLinks: form.array(form.string()).optional(),
    }),
    before: form.array(form.tuple([form.string(), form.string()])),
    standing: form.array(form.string()),
    held: form.array(form.tuple([form.string(), form.string()])).default([]),
    copied: form.array(form.tuple([form.string(), form.string()])).default([]),
  });

let schema: ReturnType<typeof buildSchema> | undefined;

/** Constant for the life of the process: it is compiled when it is first used, which costs more than a journal. */
function journalSchema(): ReturnType<typeof buildSchema> {
  schema ??= buildSchema();
  return schema;
}

export type LeftJournal = OutputOf<ReturnType<typeof buildSchema>> & {
  /** Later changes are not its work: its process was last known to live a little before. */
  end: number;
  isLive: boolean;
  /** Of two processes that clean up only one gets it. */
  claim(): boolean;
};

/** Of running commands, and of those that ran when their process was killed. */
export function readJournals(home: string): LeftJournal[] {
  const directory = join(home, journalFolder);
  return pickJournals(listKnown(listNames(directory)).map((name) => join(directory, name)));
}

/** Those among the files in such folders. */
export function pickJournals(paths: readonly string[]): LeftJournal[] {
  return paths.filter((path) => path.endsWith('.json')).flatMap(readJournal);
}

function readJournal(path: string): LeftJournal[] {
  try {
    const read = journalSchema().parse(
      JSON.parse(readBoundedText(path, maxJournal, { refusesLinks: true }) ?? ''),
    );
    const claim = () => remove(path);
    const end = statSync(path).mtimeMs + graceMs;
    // A process in another container is known by its beat alone.
    const isLive = isSameProcess(read.owner) || (isOfElsewhere(path) && Date.now() < end);
    return [{ ...read, end, isLive, claim }];
  } catch {
    // Being written, or half written by a killed process: then no command was started yet.
    if (isOfDead(path) || measureAge(path) > maxWriteMs) rmSync(path, { force: true });
    return [];
  }
}

const maxJournal = 64 * 1024 * 1024;
const maxWriteMs = 60_000;

function measureAge(path: string): number {
  const stat = statEntry(path);
  return stat ? Date.now() - stat.mtimeMs : 0;
}

function remove(path: string): boolean {
  const aside = `${path}.${randomIds.token(8)}.dead`;
  try {
    renameSync(path, aside);
  } catch {
    return false;
  }
  rmSync(aside, { force: true });
  return true;
}
