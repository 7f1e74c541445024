import { expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { processMark } from '../../../src/lib/processes/mark.ts';
import { listTaken, trimTaken } from '../../../src/sandbox/guard/taken.ts';
import { needs, temporaryDirectory } from '../../support/index.ts';
import { held, room, run } from './support.ts';

const dayMs = 24 * 60 * 60 * 1000;
const now = Date.parse('2026-05-01T12:00:00Z');

/** What was taken so many days ago. */
function take(home: string, name: string, days: number, bytes = 1): string {
  const place = join(home, 'taken', name);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, '1-.npmrc'), Buffer.alloc(bytes, 1));
  const time = (now - days * dayMs) / 1000;
  utimesSync(place, time, time);
  return place;
}

function left(home: string): string[] {
  return readdirSync(join(home, 'taken')).sort();
}

test('what was taken away goes after a month', () => {
  const { path: home } = temporaryDirectory();
  take(home, 'old', 31);
  take(home, 'young', 29);
  trimTaken(home, now);
  expect(left(home)).toEqual(['young']);
});

test('of what is too much the oldest goes, and the newest stays however large it is', () => {
  const { path: home } = temporaryDirectory();
  const kilobytes = 64 * 1024;
  take(home, 'a', 3, kilobytes);
  take(home, 'b', 2, kilobytes);
  take(home, 'c', 1, kilobytes);
  trimTaken(home, now, { days: 30, bytes: 2.5 * kilobytes });
  expect(left(home)).toEqual(['b', 'c']);
  trimTaken(home, now, { days: 30, bytes: 1 });
  expect(left(home)).toEqual(['c']);
});

test('what came since the start of a command that still runs stays', () => {
  const { path: home } = temporaryDirectory();
  take(home, 'before', 50);
  take(home, 'since', 40);
  take(home, 'newest', 1);
  mkdirSync(join(home, 'confined'));
  const journal = {
    ...{ owner: processMark(process.pid), since: now - 45 * dayMs, roots: [], placeholders: [] },
    ...{ exposed: { directories: [], git: [], paths: [] }, before: [], standing: [] },
  };
  writeFileSync(join(home, 'confined', 'x.json'), JSON.stringify(journal));
  trimTaken(home, now);
  expect(left(home)).toEqual(['newest', 'since']);
});

test('a directory that was closed by its maker is counted and goes; nothing behind a link does', () => {
  const { path: home } = temporaryDirectory();
  const place = take(home, 'closed', 31);
  const outside = join(home, 'outside');
  mkdirSync(join(place, '2-.vscode', 'in'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, 'mine'), '');
  symlinkSync(outside, join(place, '3-link'));
  for (const path of [join(place, '2-.vscode', 'in'), join(place, '2-.vscode')]) chmodSync(path, 0);
  const time = (now - 31 * dayMs) / 1000;
  utimesSync(place, time, time);
  take(home, 'newest', 1);
  expect(listTaken(home).every(({ bytes }) => bytes > 0)).toBe(true);
  trimTaken(home, now);
  expect(left(home)).toEqual(['newest']);
  expect(existsSync(join(outside, 'mine'))).toBe(true);
});

needs('bwrap')('taking something away clears up what is there for too long', async () => {
  const at = room();
  const place = take(at.home, 'old', 0);
  utimesSync(place, 1, 1);
  writeFileSync(join(place, 'where.json'), '{"1-.npmrc":"/x"}');
  utimesSync(place, 1, 1);
  await run(at, 'touch .npmrc');
  expect(held(at)).toEqual([join(at.cwd, '.npmrc')]);
});
