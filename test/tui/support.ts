import { spawnSync } from 'node:child_process';
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
  return screen
    .replaceAll(place.cwd, '/work')
    .replace(/\b\d+(?:\.\d)?s\b/g, '#s')
    .trimEnd();
}

/** A repository with one commit, so that there is a branch to show. */
export function makeRepository(directory: string): void {
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: directory });
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'first');
}

export const goldenDirectory = join(import.meta.dirname, 'golden');
