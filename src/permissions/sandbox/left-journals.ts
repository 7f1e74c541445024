import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { randomIds } from '../../lib/ids.ts';
import { isSameProcess } from '../../lib/process-mark.ts';
import { readBoundedText } from '../../lib/read-bounded.ts';
import { journalFolder } from './journal.ts';

const journalSchema = z.object({
  owner: z.object({ pid: z.number(), start: z.string() }),
  since: z.number(),
  roots: z.array(z.string()),
  placeholders: z.array(z.string()),
  exposed: z.object({
    directories: z.array(z.string()),
    git: z.array(z.object({ directory: z.string(), guarded: z.array(z.string()) })),
    paths: z.array(z.string()),
  }),
  before: z.array(z.tuple([z.string(), z.string()])),
  standing: z.array(z.string()),
  held: z.array(z.tuple([z.string(), z.string()])).default([]),
});

export type LeftJournal = z.infer<typeof journalSchema> & {
  /** When its process was last known to live. */
  until: number;
  isLive: boolean;
  /** Of two who clear up only one gets it. */
  claim(): boolean;
};

/** Of commands that are running, and of those that were when their process was killed. */
export function readJournals(home: string): LeftJournal[] {
  const directory = join(home, journalFolder);
  return namesIn(directory).flatMap((name) => {
    const path = join(directory, name);
    try {
      const read = journalSchema.parse(
        JSON.parse(readBoundedText(path, maxJournal, { refusesLinks: true }) ?? ''),
      );
      const claim = () => remove(path);
      return [{ ...read, until: statSync(path).mtimeMs, isLive: isSameProcess(read.owner), claim }];
    } catch {
      // Being written, or half written by one who was killed: then no command was started yet.
      if (ageOf(path) > longestWriteMs) rmSync(path, { force: true });
      return [];
    }
  });
}

const maxJournal = 64 * 1024 * 1024;
const longestWriteMs = 60_000;

function ageOf(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
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

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}
