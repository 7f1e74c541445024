import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeProvider, fakeProvider, type Turn, type TurnMaker } from '../../src/testing/index.ts';
import { environmentOf, newPlace, type Place, program, unconfined } from '../cli/support.ts';
import { openPane, type Pane } from '../support/index.ts';

export interface Screen extends Pane {
  place: Place;
  provider: FakeProvider;
}

export interface ScreenOptions {
  flags?: string[];
  columns?: number;
  rows?: number;
  env?: Record<string, string>;
  prepare?(place: Place): void;
  place?: Place;
}

/** The program in a real terminal, with a scripted model behind a socket. Nothing moves by itself. */
export async function withScreen(
  script: readonly Turn[] | TurnMaker,
  body: (screen: Screen) => Promise<void>,
  options: ScreenOptions = {},
): Promise<void> {
  const place = options.place ?? newPlace();
  options.prepare?.(place);
  await using provider = await fakeProvider({ script });
  const pane = openPane({
    command: [program, ...unconfined, ...(options.flags ?? [])],
    cwd: place.cwd,
    env: { ...environmentOf({ place, provider }), CADRE_STILL: '1', LANG: 'C.UTF-8', ...options.env },
    columns: options.columns ?? 80,
    rows: options.rows ?? 24,
  });
  try {
    await body({ ...pane, place, provider });
  } finally {
    pane.close();
  }
}

/** A screen with what differs from run to run left out: times, money and places. */
export function still(screen: string, place: Place): string {
  return (
    screen
      .replaceAll(place.cwd, '/here')
      // The demo's own places, and names that are one of a kind.
      .replace(/\S*cadre-demo-\w+/g, '/demo')
      .replace(/^(Scratchpad\n) {2}.*$/m, '$1  <scratchpad>')
      .replace(/\b(mender|kelvin)-[a-z0-9]{6}\b/g, '$1-######')
      .replace(/^ends: in [^,]+,/m, 'ends: in #,')
      .replace(/\b(dream show d)[a-z0-9]{12}\b/g, '$1############')
      // Both are started at once: either may be the first.
      .replace(/^.*\bkelvin\b.*\n.*\bmender\b.*$/gm, (pair) => pair.split('\n').reverse().join('\n'))
      .replace(/\b[0-9a-f]{12}\b/g, '############')
      .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<session>')
      .replace(/\b\d\d:\d\d\b/g, '##:##')
      // How long a count is decides what of a narrow line is left.
      .replace(/(completed(?: · \d+ runs)? · \d+ tools?) · .*$/gm, '$1 · #')
      .replace(/\b\d+(?:\.\d)?s\b/g, '#s')
      .replace(/\$\d+\.\d+/g, '$#')
      .replace(/\b[\d.]+k? tokens/g, '# tokens')
      .trimEnd()
  );
}

/** A repository with one commit, so that there is a branch to show. */
export function makeRepository(directory: string): void {
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: directory });
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'first');
}

/** Compares with the stored screen; `GOLDEN=write` stores it anew. */
export function expectScreen(name: string, { visible, place }: Screen): void {
  const path = join(import.meta.dirname, 'golden', `${name}.txt`);
  const now = `${still(visible(), place)}\n`;
  if (process.env.GOLDEN === 'write') writeFileSync(path, now);
  expect(now).toBe(readFileSync(path, 'utf8'));
}

/** Resolves when the screen has not changed for a moment: a frame is drawn in several steps. */
export async function settled({ visible }: Screen): Promise<void> {
  for (let before = '', same = 0; same < 5; ) {
    const now = visible();
    same = now === before ? same + 1 : 0;
    before = now;
    await Bun.sleep(50);
  }
}

/** Resolves when the screen itself shows it: what has scrolled away does not count. */
export async function seen({ visible }: Screen, text: string | RegExp): Promise<string> {
  for (;;) {
    const now = visible();
    if (typeof text === 'string' ? now.includes(text) : text.test(now)) return now;
    await Bun.sleep(20);
  }
}

/** Resolves when nothing of it is on the screen any more. */
export async function gone({ visible }: Screen, text: string): Promise<void> {
  while (visible().includes(text)) await Bun.sleep(20);
}

/** Resolves when the question on the screen has the keys. */
export async function asked(screen: Screen, text: string): Promise<string> {
  await seen(screen, text);
  // What the request cost comes in a moment after it.
  await seen(screen, /\$[\d?]/);
  return seen(screen, /esc puts it\s+aside/);
}

/** What is dead and not yet buried by its parent does not count. */
export function isAlive(pid: number): boolean {
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
  return state !== '' && !state.startsWith('Z');
}
