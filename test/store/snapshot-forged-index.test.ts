import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { hashBytes } from '../../src/lib/hash.ts';
import { ok } from '../../src/lib/result.ts';
import type { CommandFilesRecord, FileHistoryRecord } from '../../src/protocol/record.ts';
import { readKept } from '../../src/store/files/kept-bytes.ts';
import { WorkspaceSnapshot } from '../../src/store/snapshot/workspace-snapshot.ts';
import { forgeIndex } from '../support/forge-index.ts';
import { temporaryDirectory } from '../support/index.ts';

/** A repository with one committed file. */
function ground(content: string | Uint8Array = 'committed\n') {
  const { path } = temporaryDirectory();
  const work = join(path, 'work');
  const file = join(work, 'a.txt');
  mkdirSync(work);
  const git = (args: string[], input = '') => {
    const ran = spawnSync('git', args, { cwd: work, input, encoding: 'utf8' });
    if (ran.status !== 0) throw new Error(ran.stderr);
    return ran.stdout.trim();
  };
  git(['init', '--quiet']);
  writeFileSync(file, content);
  git(['add', '.']);
  git(['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message=x']);
  const records: FileHistoryRecord[] = [];
  const directory = join(path, 'kept');
  const snapshot = new WorkspaceSnapshot({
    ...{ directory, journal: join(path, 'session', 'snapshot.jsonl'), roots: () => [work] },
    ...{ env: { PATH: process.env.PATH ?? '', HOME: path }, userHome: path, clock: systemClock },
    append: (record: FileHistoryRecord | CommandFilesRecord) =>
      ok(void (record.type === 'file-history' && records.push(record))),
    ...{ isEdited: () => false, isApart: () => false },
  });
  /** What is known of the file once a command has removed it. */
  const remove = async (doMore = () => {}) => {
    const command = await snapshot.begin('t1', null);
    doMore();
    rmSync(file);
    command.end();
    await snapshot.settle();
    const before = records.find((record) => record.path === file)?.before ?? '';
    const kept = readKept(directory, before);
    return { before, text: kept.ok ? kept.value.toString().slice(0, 100) : undefined };
  };
  return { work, file, git, remove };
}

test('uncommitted work comes back, whatever object a forged index names for it', async () => {
  const { work, file, git, remove } = ground();
  writeFileSync(file, 'my own work\n');
  const evil = git(['hash-object', '-w', '--stdin'], 'XXXXXXXXXXX\n');
  // Older than the index, so that git itself would believe it.
  utimesSync(file, 1_000_000, 1_000_000);
  forgeIndex(work, 'a.txt', evil);
  expect(await remove()).toMatchObject({ text: 'my own work\n' });
});

test('a large file is relied on as git has it only where its bytes match the object', async () => {
  const large = 12 * 1024 * 1024;
  const { work, file, git, remove } = ground(Buffer.alloc(large, 'a'));
  writeFileSync(file, Buffer.alloc(large, 'b'));
  utimesSync(file, 1_000_000, 1_000_000);
  forgeIndex(work, 'a.txt', git(['rev-parse', 'HEAD:a.txt']));
  expect((await remove()).before).toStartWith('unkept: it was 12 MB');
});

test('a large file that git has comes back', async () => {
  const content = Buffer.alloc(12 * 1024 * 1024, 'a');
  const { remove } = ground(content);
  expect(await remove()).toMatchObject({ before: hashBytes(content), text: 'a'.repeat(100) });
});

for (const [how, act] of [
  ['replaced', damage],
  ['emptied', empty],
] as const)
  test(`a file whose object is ${how} after the first look comes back`, async () => {
    const { work, git, remove } = ground();
    const harm = () => act(work, git(['rev-parse', 'HEAD:a.txt']));
    expect(await remove(harm)).toMatchObject({ text: 'committed\n' });
  });

test('a file whose object was damaged before the first look comes back', async () => {
  const { work, git, remove } = ground();
  damage(work, git(['rev-parse', 'HEAD:a.txt']));
  expect(await remove()).toMatchObject({ text: 'committed\n' });
});

function damage(work: string, id: string): void {
  rmSync(locate(work, id));
  writeFileSync(locate(work, id), '');
}

/** Under all of its names. */
function empty(work: string, id: string): void {
  chmodSync(locate(work, id), 0o600);
  writeFileSync(locate(work, id), '');
}

function locate(work: string, id: string): string {
  return join(work, '.git', 'objects', id.slice(0, 2), id.slice(2));
}
