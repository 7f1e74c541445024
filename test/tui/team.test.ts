import { expect } from 'bun:test';
import { readdirSync } from 'node:fs';
import { fakeProvider } from '../../src/testing/index.ts';
import { environmentOf, program } from '../cli/support.ts';
import { needs, openPane } from '../support/index.ts';
import {
  asked,
  expectScreen,
  gone,
  newPlace,
  type Screen,
  seen,
  send,
  settled,
  widestLine,
} from './support.ts';

const tmuxTest = needs('tmux');

/** The demo's team, with a person at the keys. */
async function withTeam(
  body: (screen: Screen) => Promise<void>,
  { columns = 120, rows = 50 } = {},
): Promise<void> {
  const place = newPlace();
  await using provider = await fakeProvider({ script: [] });
  const pane = openPane({
    command: [program, 'demo', 'teams'],
    cwd: place.cwd,
    env: { ...environmentOf({ place, provider }), CADRE_STILL: '1', LANG: 'C.UTF-8', TMPDIR: place.userHome },
    ...{ columns, rows },
  });
  try {
    await body({ ...pane, place, provider });
    expect(readdirSync(place.userHome)).toEqual([]);
  } finally {
    pane.close();
  }
}

/**
 * Item ids are one of a kind; how long a state has lasted, what is unread, and when exactly others heard that a member is idle or
 * asks is a matter of milliseconds.
 */
function hideIds(screen: Screen): Screen {
  const visible = () => {
    const found = new Set<string>();
    const text = screen
      .visible()
      .replace(/(?<=\S) +\d+(?:\.\d)?s(?: {2,}|$)/gm, '  #s  ')
      .replace(/(?: · )?\b\d+ unread/g, '')
      .replace(/ \(\d+ s\)$/gm, '')
      .replace(/ +$/gm, '')
      .replace(/^(?:\d\d:\d\d +\w+ is idle: .*| +\w+ waits for user: .*)\n/gm, '')
      .replace(/\n{3,}/g, '\n\n');
    for (const [, id] of text.matchAll(
      /\b(?:items?|by|done|blocked|progress|to do|Item|TaskUpdate) +([a-z0-9]{4})\b/g,
    ))
      if (id) found.add(id);
    return [...found].reduce((shown, id) => shown.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), '####'), text);
  };
  return { ...screen, visible };
}

/** A key right after it would be read together with it. */
async function back(screen: Screen, from: string): Promise<void> {
  screen.press('Escape');
  await gone(screen, from);
}

async function looks(golden: string, screen: Screen): Promise<void> {
  await settled(screen);
  expectScreen(golden, hideIds(screen));
}

tmuxTest(
  'a team on the screen: rows, members with the mail as a conversation, the board, a message to one and to all, zoom and stop',
  async () => {
    await withTeam(async (screen) => {
      // The writer asks to commit: until it is answered nothing else happens.
      await seen(screen, /writer +asks you/);
      await seen(screen, /kelvin +idle/);
      await looks('team-rows', screen);

      await send(screen, '/team');
      await seen(screen, 'tester waits for item');
      await looks('team', screen);
      screen.resize(80, 24);
      await seen(screen, /^Team degrees/m);
      await settled(screen);
      expect(widestLine(screen)).toBeLessThanOrEqual(80);
      expect(screen.visible()).toMatch(/esc goes back\n*$/);
      screen.resize(120, 50);
      await back(screen, 'Who waits for whom');

      await send(screen, '/board');
      await seen(screen, 'Board · 1 in progress');
      await looks('board', screen);
      screen.press('Enter');
      await seen(screen, 'Blocks: ');
      await back(screen, 'Blocks: ');
      await seen(screen, 'Board · 1 in progress');
      await back(screen, 'Board · 1 in progress');

      await send(screen, '@fixer Which file did you change?');
      await seen(screen, 'You → fixer: Which file did you change?');
      await seen(screen, 'Sent to fixer.');
      await send(screen, '@all Nearly done.');
      await seen(screen, 'Sent to team-lead, fixer, kelvin, writer, tester.');
      await send(screen, '@nobody is a prompt');
      await seen(screen, 'Noted. Waiting for the next report.');

      screen.press('C-t');
      await seen(screen, 'return opens');
      await seen(screen, /fixer +idle[\s\S]*kelvin +idle[\s\S]*tester +idle/);
      await looks('team-tasks', screen);
      screen.press('Enter');
      await seen(screen, 'Write to fixer');
      await seen(screen, 'Which file did you change?');
      await back(screen, 'Write to fixer');
      await seen(screen, 'return opens');
      await back(screen, 'return opens');

      await send(screen, '/team');
      screen.press('Down', 'Down', 'Down');
      await seen(screen, /❯ ○ tester/);
      screen.type('x');
      await seen(screen, 'Stop tester? y to stop it');
      screen.type('n');
      await gone(screen, 'Stop tester?');
      screen.type('m');
      await seen(screen, '❯ @tester');
      screen.press('C-c');
      await gone(screen, '❯ @tester');

      screen.press('C-q');
      await asked(screen, 'writer@degrees (Describe the units) asks: Run git add');
      screen.press('y');
      await seen(screen, 'The team has shut down.');
      await gone(screen, 'esc to stop');
      await send(screen, '/team');
      await seen(screen, 'Team degrees · ended');
      await back(screen, 'Team degrees');
      screen.press('C-c');
      await seen(screen, 'ctrl-c again to quit');
      screen.press('C-c');
      await screen.shows('exit code 0');
    });
  },
  120_000,
);
