import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { ok } from '../../src/lib/result.ts';
import type { CommandFilesRecord } from '../../src/protocol/record.ts';
import { WorkspaceSnapshot } from '../../src/store/snapshot/workspace-snapshot.ts';

/** A command makes a file in a directory, and takes the right to list it, or to enter it, away. */
export default async function closeBehind([mode]: unknown[], directory: string) {
  const work = join(directory, 'work');
  const closed = join(work, 'sub');
  mkdirSync(closed, { recursive: true });
  writeFileSync(join(closed, 'old.txt'), 'old');
  spawnSync('git', ['init', '-q'], { cwd: work });
  const commands: CommandFilesRecord[] = [];
  const snapshot = new WorkspaceSnapshot({
    ...{ directory: join(directory, 'kept'), journal: join(directory, 'session', 'snapshot.jsonl') },
    ...{ roots: () => [work], userHome: directory, env: { PATH: process.env.PATH ?? '', HOME: directory } },
    append: (record) => ok(void (record.type === 'command-files' && commands.push(record))),
    ...{ clock: systemClock, isEdited: () => false, isApart: () => false },
  });
  const command = await snapshot.begin('t1', null);
  writeFileSync(join(closed, 'new.txt'), 'new');
  chmodSync(closed, Number(mode));
  command.end();
  await snapshot.settle();
  await snapshot.close();
  chmodSync(closed, 0o700);
  return commands.map(({ unseen }) => unseen?.replace(work, ''));
}
