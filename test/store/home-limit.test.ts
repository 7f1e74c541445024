import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeTreeMeanwhile } from '../../src/lib/files/remove-tree.ts';
import { keepHomeLimit, measureTree } from '../../src/store/home-limit.ts';
import { createLayout } from '../../src/store/layout.ts';
import { temporaryDirectory } from '../support/index.ts';

const kilobyte = 1024;
const idOf = (index: number) => `${String(index).repeat(8)}-0000-4000-8000-000000000000`;

function ground() {
  const layout = createLayout(temporaryDirectory().path);
  const put = (path: string, kilobytes: number) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'x'.repeat(kilobytes * kilobyte));
    return path;
  };
  /** Unused for so many days, with 100 kB of outputs. */
  const addSession = (index: number, days: number) => {
    const session = layout.session('/a', idOf(index));
    put(join(session.toolResults, 'x'), 100);
    put(session.transcript, 4);
    for (const path of [session.transcript, session.directory])
      utimesSync(path, 1e9 - days * 86_400, 1e9 - days * 86_400);
    return session;
  };
  const limit = (maxKilobytes: number, held: string[] = []) =>
    keepHomeLimit(layout, {
      maxBytes: maxKilobytes * kilobyte,
      isHeld: (directory) => held.some((id) => directory.endsWith(id)),
      now: Date.parse('2026-11-18'),
    });
  return { layout, put, addSession, limit };
}

test('G5 below the limit nothing is removed', () => {
  const { addSession, limit } = ground();
  const session = addSession(1, 10);
  expect(limit(1000)).toMatchObject({ sessions: 0, months: 0, bytes: 0, isOver: false });
  expect(existsSync(session.transcript)).toBe(true);
});

test('G5 above it caches go first, then the longest unused sessions, until it fits', () => {
  const { layout, put, addSession, limit } = ground();
  const cache = put(join(layout.home, 'cache', 'skills-1.json'), 50);
  const sessions = [1, 2, 3].map((index) => addSession(index, 10 * index));
  const removed = limit(260);
  expect(existsSync(cache)).toBe(false);
  expect(sessions.map(({ transcript }) => existsSync(transcript))).toEqual([true, true, false]);
  expect(sessions.map(({ directory }) => existsSync(directory))).toEqual([true, true, false]);
  expect(removed).toMatchObject({ sessions: 1, isOver: false });
  expect(measureTree(layout.home)).toBeLessThanOrEqual(260 * kilobyte);
});

test('G5 the newest search program stays and counts, since the next start would make it again', () => {
  const { layout, put, addSession, limit } = ground();
  const [older, newest] = ['rg-1', 'rg-2'].map((name) => put(join(layout.home, 'bin', name), 50));
  utimesSync(older ?? '', 1e9, 1e9);
  const sessions = [1, 2].map((index) => addSession(index, 10 * index));
  expect(limit(230)).toMatchObject({ sessions: 1, isOver: false });
  expect([older, newest].map((path) => existsSync(path ?? ''))).toEqual([false, true]);
  expect(sessions.map(({ transcript }) => existsSync(transcript))).toEqual([true, false]);
});

test('G5 sessions that are held stay, and so does what is the user’s own; it says that it is still above', () => {
  const { layout, put, addSession, limit } = ground();
  const [held, free] = [addSession(1, 30), addSession(2, 20)];
  const own = ['settings.json', 'plans/plan-a.md', 'agent-memory/x/notes.md', 'providers/package.json'].map(
    (name) => put(join(layout.home, name), 10),
  );
  const months = ['2026-09.jsonl', '2026-11.jsonl'].map((name) => put(join(layout.home, 'audit', name), 10));
  expect(limit(20, [idOf(1)])).toMatchObject({ sessions: 1, months: 1, isOver: true });
  expect([held.transcript, free.transcript].map((path) => existsSync(path))).toEqual([true, false]);
  expect(own.every((path) => existsSync(path))).toBe(true);
  expect(months.map((path) => existsSync(path))).toEqual([false, true]);
});

test('G5 a tree too deep to be named is measured as far as names reach, and stops nothing', async () => {
  const { layout, put, limit } = ground();
  put(join(layout.home, 'file'), 10);
  const top = join(layout.home, 'sandboxes', 'left');
  mkdirSync(top, { recursive: true });
  const script = "import os\nfor i in range(40): os.mkdir('x' * 200); os.chdir('x' * 200)";
  execFileSync('python3', ['-c', script], { cwd: top });
  expect(measureTree(layout.home)).toBeGreaterThan(10 * kilobyte);
  expect(limit(100_000)).toMatchObject({ isOver: false });
  expect(await removeTreeMeanwhile(top)).toBe(true);
});
