import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { ok } from '../../src/lib/result.ts';
import type { CommandFilesRecord, FileHistoryRecord } from '../../src/protocol/record.ts';
import type { SnapshotParts } from '../../src/store/snapshot/parts.ts';
import { WorkspaceSnapshot } from '../../src/store/snapshot/workspace-snapshot.ts';
import { temporaryDirectory } from '../support/index.ts';

/** A directory to work in, and what a snapshot of it notes. */
export function ground(more: Partial<SnapshotParts> = {}, parent?: string) {
  const { path } = temporaryDirectory(parent);
  const work = join(path, 'work');
  mkdirSync(work);
  const records: (FileHistoryRecord | CommandFilesRecord)[] = [];
  const directory = join(path, 'kept');
  const open = (other: Partial<SnapshotParts> = {}) =>
    new WorkspaceSnapshot({
      ...{ directory, journal: join(path, 'session', 'snapshot.jsonl'), roots: () => [work] },
      ...{ env: { PATH: process.env.PATH ?? '', HOME: path }, userHome: path, clock: systemClock },
      append: (record) => ok(void records.push(record)),
      ...{ isEdited: () => false, isApart: () => false },
      ...more,
      ...other,
    });
  const file = (name: string) => join(work, name);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(file(name)), { recursive: true });
    writeFileSync(file(name), text);
  };
  const histories = () => records.filter((record) => record.type === 'file-history');
  const changes = () => histories().map(({ path, cause }) => [path.slice(work.length + 1), cause]);
  const git = (...args: string[]) => {
    const name = ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', '-c', 'init.defaultBranch=main'];
    const ended = Bun.spawnSync(['git', ...name, ...args], { cwd: work });
    if (!ended.success) throw new Error(`git ${args.join(' ')}: ${ended.stderr}`);
    return ended.stdout.toString().trim();
  };
  return { path, work, directory, open, records, histories, file, write, changes, git };
}

/**
 * Time that flies once the first look has listed so many files: a command that waits for the look gives up then, while most
 * of the files are not read yet.
 */
export function clockThatFliesAfter(listed: number): Clock {
  let seen = 0;
  let elapsed = 0;
  return {
    now() {
      seen++;
      return Date.now();
    },
    monotonic() {
      if (seen > listed) elapsed += 60_000;
      return elapsed;
    },
    after(_, callback) {
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    },
  };
}

/** A `git` that waits until it is let go. */
export function heldGit() {
  const { path } = temporaryDirectory();
  const [asked, go] = [join(path, 'asked'), join(path, 'go')];
  const real = Bun.which('git');
  const script = `#!/bin/sh\ntouch ${asked}\nwhile ! test -e ${go}; do sleep 0.02; done\nexec ${real} "$@"\n`;
  writeFileSync(join(path, 'git'), script, { mode: 0o755 });
  return {
    env: { PATH: `${path}:${process.env.PATH}`, HOME: path },
    async started() {
      while (!existsSync(asked)) await new Promise((resolve) => setImmediate(resolve));
    },
    letGo: () => writeFileSync(go, ''),
  };
}

/** A `git` that notes how often it is asked to list files. */
export function countingGit() {
  const { path } = temporaryDirectory();
  const asked = join(path, 'asked');
  const script = `#!/bin/sh\ncase " $* " in *" ls-files "*) echo >> ${asked} ;; esac\nexec ${Bun.which('git')} "$@"\n`;
  writeFileSync(join(path, 'git'), script, { mode: 0o755 });
  return {
    env: { PATH: `${path}:${process.env.PATH}`, HOME: path },
    lists: () => (existsSync(asked) ? readFileSync(asked, 'utf8').length : 0),
  };
}
