import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { ok } from '../../src/lib/result.ts';
import type { CommandFilesRecord, FileHistoryRecord } from '../../src/protocol/record.ts';
import { WorkspaceSnapshot } from '../../src/store/snapshot/workspace-snapshot.ts';

/** A command in a workspace with a directory that this user cannot enter, such as one that a database server owns. */
export default async function removeBesideClosed([kind]: unknown[], directory: string) {
  const unhandled: string[] = [];
  process.on('unhandledRejection', (error) => unhandled.push(String(error)));
  const work = join(directory, 'work');
  const closed = join(work, 'pgdata');
  mkdirSync(closed, { recursive: true });
  writeFileSync(join(closed, 'base'), 'base');
  writeFileSync(join(work, 'open.txt'), 'open');
  if (kind !== 'in no repository') spawnSync('git', ['init', '-q'], { cwd: work });
  if (kind === 'ignored') writeFileSync(join(work, '.gitignore'), 'pgdata/');
  chmodSync(closed, 0);
  const records: (FileHistoryRecord | CommandFilesRecord)[] = [];
  const snapshot = new WorkspaceSnapshot({
    ...{ directory: join(directory, 'kept'), journal: join(directory, 'session', 'snapshot.jsonl') },
    ...{ roots: () => [work], userHome: directory, env: { PATH: process.env.PATH ?? '', HOME: directory } },
    append: (record) => ok(void records.push(record)),
    ...{ clock: systemClock, isEdited: () => false, isApart: () => false },
  });
  const command = await snapshot.begin('t1', null);
  rmSync(join(work, 'open.txt'));
  command.end();
  await snapshot.settleFile(join(work, 'other.txt'));
  await snapshot.settle();
  await snapshot.close();
  chmodSync(closed, 0o700);
  return {
    changes: records.flatMap((record) =>
      record.type === 'file-history' ? [[record.path.slice(work.length + 1), record.cause]] : [],
    ),
    commands: records.flatMap((record) => {
      if (record.type !== 'command-files') return [];
      const { type: _, timestamp: __, ...rest } = record;
      return [rest];
    }),
    unhandled,
  };
}
