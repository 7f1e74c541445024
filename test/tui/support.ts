import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type FakeProvider, fakeProvider, type Turn, type TurnMaker } from '../../src/testing/index.ts';
import { environmentOf, type Place, newPlace as placeIn, program, unconfined } from '../cli/support.ts';
import { betweenLooksMs, openPane, type Pane } from '../support/index.ts';

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

/** Its path is as long wherever temporary files are: a narrow screen shows so much of a line as is left of it. */
export const newPlace = (): Place => placeIn('/tmp');

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
export function still(screen: string, place: Place, random: readonly string[] = []): string {
  return (
    [...random, basename(dirname(place.userHome)).slice(-6)]
      .reduce(hideAcrossLines, screen.replaceAll(place.cwd, '/here'))
      // The demo's own places, and names that are one of a kind.
      .replace(/\S*cadre-demo-[\w#]+/g, '/demo')
      .replace(/^(Scratchpad\n) {2}.*$/m, '$1  <scratchpad>')
      .replace(/\b(fixer|kelvin)-[a-z0-9]{6}\b/g, '$1-######')
      .replace(/\breplays\/\w{16}\b/g, 'replays/################')
      .replace(/\bThe agent a\w{12}\b/g, 'The agent a############')
      .replace(/^expires: in [^,]+,/m, 'expires: in #,')
      .replace(/\b(dream show d)[a-z0-9]{12}\b/g, '$1############')
      // Both are started at once: either may be the first.
      .replace(
        /^(?=.*(?: · |[●✓✗■] )).*\bkelvin\b.*\n(?=.*(?: · |[●✓✗■] )).*\b(?:mender|fixer)\b.*$/gm,
        (pair) => pair.split('\n').reverse().join('\n'),
      )
      .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<session>')
      .replace(/\b[0-9a-f]{12}\b/g, '############')
      .replace(/\b\d\d:\d\d\b/g, '##:##')
      // How long a count is decides what of a narrow line is left.
      .replace(/(completed(?: · \d+ runs)? · \d+ tools?) · .*$/gm, '$1 · #')
      .replace(/^([✓✗■] .* )\S+(?= completed · )/gm, '$1…')
      // The columns of a table are as wide as what is in them.
      .replace(/ {2,}(?=\d+(?:m \d+)?(?:\.\d)?s(?: |$))/gm, '  ')
      .replace(/ {2,}[\d.]+k?(?= {2,}\$\d)/gm, '  #')
      .replace(/ {2,}(?=\$\d+\.\d+(?: |$))/gm, '  ')
      .replace(/^ +state +time.*$/gm, '  state …')
      // A call says how long it took when that was long.
      .replace(/^( *● (?!.* tokens · ).*?)(?: \d+m)? \d+(?:\.\d)?s$/gm, '$1')
      .replace(/\b\d+(?:\.\d)?s\b/g, '#s')
      .replace(/\$\d+\.\d+/g, '$#')
      .replace(/\b[\d.]+k? tokens/g, '# tokens')
      .replace(/\S*…(?= · \$#)/g, '…')
      // Tokens are in the status line if there is room for them.
      .replace(/( · context \d+% · \$#) · # tokens$/gm, '$1')
      .trimEnd()
  );
}

/** A name that is one of a kind, also where a line ends in the middle of it. */
function hideAcrossLines(screen: string, name: string): string {
  const pattern = new RegExp([...name].map((letter) => RegExp.escape(letter)).join('(?:\\n *)?'), 'g');
  return screen.replace(pattern, (found) => found.replace(/[^\n ]/g, '#'));
}

/** A repository with one commit, so that there is a branch to show. */
export function makeRepository(directory: string): void {
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: directory });
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'first');
}

/** Compares with the stored screen; `GOLDEN=write` stores it anew. */
export function expectScreen(name: string, { visible, place }: Screen, random?: readonly string[]): void {
  const path = join(import.meta.dirname, 'golden', `${name}.txt`);
  const now = `${still(visible(), place, random)}\n`;
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
  for (const end = Date.now() + patienceMs; ; ) {
    const now = visible();
    if (typeof text === 'string' ? now.includes(text) : text.test(now)) return now;
    if (Date.now() > end) throw new Error(`Not seen: ${text}\n${now}`);
    await Bun.sleep(betweenLooksMs);
  }
}

/** Short of the test's own limit, so that a failure can show the screen. */
const patienceMs = 50_000;

/** Types a line and sends it once it is there. */
export async function send(screen: Screen, text: string): Promise<void> {
  screen.type(text);
  await seen(screen, `❯ ${text}`);
  screen.press('Enter');
}

/** Resolves when nothing of it is on the screen any more. */
export async function gone({ visible }: Screen, text: string): Promise<void> {
  for (const end = Date.now() + patienceMs; visible().includes(text); await Bun.sleep(betweenLooksMs))
    if (Date.now() > end) throw new Error(`Still there: ${text}\n${visible()}`);
}

/** Resolves when the question on the screen has the keys. */
export async function asked(screen: Screen, text: string): Promise<string> {
  await seen(screen, text);
  // What the request cost comes in a moment after it.
  await seen(screen, /\$\d|tokens/);
  return seen(screen, /esc\s+sets\s+it\s+aside/);
}

/** Pages down until all of a question was in sight. */
export async function readOn(screen: Screen): Promise<void> {
  for (let presses = 0; presses < 100; presses++) {
    if (!/more lines?:/.test(screen.visible())) {
      // It may be a frame that is half drawn.
      await settled(screen);
      if (!/more lines?:/.test(screen.visible())) return;
    }
    const before = screen.visible();
    screen.press('PageDown');
    await movedOn(screen, before);
  }
}

/** Resolves when other lines are left than before, or none. A key that came too soon for the program is lost: not for ever. */
async function movedOn({ visible }: Screen, before: string): Promise<void> {
  const left = (screen: string) => /(\d+) more lines?:/.exec(screen)?.[1];
  for (const end = Date.now() + 500; Date.now() < end && left(visible()) === left(before); )
    await Bun.sleep(betweenLooksMs);
}

/** In columns. */
export function widestLine({ visible }: Screen): number {
  return Math.max(
    ...visible()
      .split('\n')
      .map((line) => Bun.stringWidth(line)),
  );
}

/** What is dead and not yet buried by its parent does not count. */
export function isAlive(pid: number): boolean {
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
  return state !== '' && !state.startsWith('Z');
}
