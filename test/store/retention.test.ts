import { expect, test } from 'bun:test';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createLayout } from '../../src/store/layout.ts';
import { sweepSessions } from '../../src/store/retention.ts';
import { nobody, temporaryDirectory } from '../support/index.ts';

const day = 86_400;
const idOf = (index: number) => `${String(index).repeat(8)}-0000-4000-8000-000000000000`;
const age = (path: string, days: number) => utimesSync(path, (100 - days) * day, (100 - days) * day);

function home() {
  const layout = createLayout(temporaryDirectory().path);
  const add = (index: number, days: number) => {
    const session = layout.session('/a', idOf(index));
    mkdirSync(session.toolResults, { recursive: true });
    writeFileSync(join(session.toolResults, 'x'), '');
    writeFileSync(session.transcript, '{}\n');
    age(session.transcript, days);
    age(session.directory, days);
    return session;
  };
  const sweep = (keep: string[] = []) =>
    sweepSessions(layout, {
      olderThanDays: 30,
      now: 100 * day * 1000,
      isInUse: (directory) => keep.some((id) => directory.endsWith(id)),
    });
  return { layout, add, sweep };
}

test('old sessions go with all that is beside them, newer ones and those in use stay', () => {
  const { add, sweep } = home();
  const [old, recent, used] = [add(1, 31), add(2, 29), add(3, 99)];
  expect(sweep([idOf(3)])).toEqual({ sessions: 1, directories: 1, problems: [] });
  expect(existsSync(old.transcript) || existsSync(old.directory)).toBe(false);
  for (const session of [recent, used]) expect(existsSync(join(session.toolResults, 'x'))).toBe(true);
});

test("strangers' files are left alone", () => {
  const { layout, sweep } = home();
  const project = layout.projectDirectory('/a');
  mkdirSync(join(project, 'memory'), { recursive: true });
  writeFileSync(join(project, 'notes.jsonl'), '');
  for (const name of ['memory', 'notes.jsonl']) age(join(project, name), 99);
  expect(sweep()).toEqual({ sessions: 0, directories: 0, problems: [] });
  expect(readdirSync(project).sort()).toEqual(['memory', 'notes.jsonl']);
});

test('a directory whose transcript is gone is swept, and an empty project after it', () => {
  const { layout, add, sweep } = home();
  const session = add(1, 99);
  Bun.spawnSync(['rm', session.transcript]);
  expect(sweep()).toEqual({ sessions: 0, directories: 1, problems: [] });
  expect(readdirSync(layout.projects)).toEqual([]);
});

test('no link is followed, inside a session or in place of one', () => {
  const { layout, add, sweep } = home();
  const precious = temporaryDirectory().path;
  writeFileSync(join(precious, 'kept'), '');
  writeFileSync(join(precious, `${idOf(4)}.jsonl`), '');
  age(join(precious, `${idOf(4)}.jsonl`), 99);
  const session = add(1, 99);
  symlinkSync(precious, join(session.toolResults, 'link'));
  symlinkSync(precious, join(layout.projectDirectory('/a'), idOf(2)));
  symlinkSync(precious, join(layout.projects, 'linked-project'));
  expect(sweep().sessions).toBe(1);
  expect(readdirSync(precious).sort()).toEqual([`${idOf(4)}.jsonl`, 'kept']);
  expect(readdirSync(layout.projectDirectory('/a'))).toContain(idOf(2));
});

test.skipIf(process.getuid?.() !== 0)("another user's session is left alone", () => {
  const { add, sweep } = home();
  const session = add(1, 99);
  chownSync(session.transcript, nobody, nobody);
  expect(sweep().sessions).toBe(0);
  expect(existsSync(session.directory)).toBe(true);
});

test('no home yet is nothing to sweep', () => {
  const options = { olderThanDays: 1, now: 0, isInUse: () => false };
  expect(sweepSessions(createLayout('/nowhere/at/all'), options)).toEqual({
    sessions: 0,
    directories: 0,
    problems: [],
  });
});
