import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fakeProvider, say } from '../../src/testing/index.ts';
import { environmentOf, type Place, program } from '../cli/support.ts';
import { needs, openPane } from '../support/index.ts';
import { expectScreen, gone, newPlace, type Screen, seen, send, settled } from './support.ts';
import { message, type Recorded, recordBackground, recordDemo } from './tapes.ts';

const tmuxTest = needs('tmux');

/** Recorded once: a replay changes nothing. */
const recordedPlace = newPlace();
const demoTape = join(recordedPlace.home, 'demo.tape');
let recording: Promise<Recorded> | undefined;

function recordOnce(): Promise<Recorded> {
  if (!recording) {
    mkdirSync(recordedPlace.home);
    recording = recordDemo(recordedPlace.userHome, recordedPlace, demoTape);
  }
  return recording;
}

/** The story is played from a tape whose clock stands, and every command on it is given by keys. */
tmuxTest(
  'the demo on a replay, by keys alone: every question, a look, a message, a stop, 60 columns and back',
  async () => {
    const recorded = await recordOnce();
    await playing(recordedPlace, recorded, demoTape, async (screen) => {
      const looks = async (golden: string) => {
        await settled(screen);
        expectScreen(golden, screen, [recorded.sessionId]);
      };
      await send(screen, recorded.prompt);
      await answer(screen, 'Let worker agents edit', 'demo-workers');

      await seen(screen, '4 tasks running');
      // The last call of each worker before the story waits.
      for (const call of [
        'Read lib/convert.sh',
        'Read degrees.sh',
        'Write scratchpad/expected.md',
        'Grep "UNIT"',
      ])
        await seen(screen, call);
      // What agents cost is looked up once a second at most, so a screen that is still may not have it yet.
      await seen(screen, /\$.*Grep "UNIT"/);
      await looks('demo-research');
      screen.press('C-t');
      await seen(screen, 'return opens');
      screen.press('Down', 'Down');
      await seen(screen, /❯ ● worker Run the tests/);
      await seen(screen, '(lead: ');
      await seen(screen, /\$.*Grep "UNIT"/);
      await looks('demo-tasks');
      screen.press('Enter');
      await seen(screen, 'Purpose: the tests decide');
      await looks('demo-look');
      screen.type(message);
      await seen(screen, `❯ ${message}`);
      screen.press('Enter');
      await seen(screen, 'will read it at its next step');
      await looks('demo-message');
      screen.press('Escape');
      await seen(screen, 'return opens');
      screen.press('Down');
      await seen(screen, /❯ ● worker Look for other units/);
      screen.type('x');
      await seen(screen, 'Stop worker (Look for other units)? y to stop it');
      await looks('demo-stop');
      screen.type('y');
      // From here on the story goes on up to the next question.
      await seen(screen, '1 question waiting');
      await looks('demo-stopped');
      // Those that have ended come below, the newest first.
      for (const key of [...Array(8).fill('Up'), ...Array(8).fill('Down')]) {
        if (/❯ \S worker Run the tests/.test(screen.visible())) break;
        screen.press(key);
        await settled(screen);
      }
      await seen(screen, /❯ \S worker Run the tests/);
      screen.press('Enter');
      await seen(screen, 'I have read it.');
      await looks('demo-heard');
      screen.press('Escape');
      await seen(screen, 'return opens');
      screen.press('Escape');

      await asks(screen, 'lead asks: Land');
      screen.resize(60, 40);
      await seen(screen, /^── question ─{48}$/m);
      await gone(screen, '─'.repeat(61));
      await looks('demo-narrow');
      screen.resize(100, 40);
      await seen(screen, /^── question ─{88}$/m);
      await answer(screen, 'lead asks: Land', 'demo-landing');
      // The conflict goes back to its owner, and what it fixed is landed.
      await answer(screen, 'Fixed. I am landing it.', 'demo-conflict');
      await seen(screen, 'its owner fixed it.');
      await gone(screen, 'esc to stop');
      await looks('demo-end');
      await send(screen, 'What now?');
      await seen(screen, 'The demo ends here');
      await leave(screen);
    });
  },
  // Some forty steps, each of which may wait for the machine.
  240_000,
);

/** A coordinator's workers are in the background from the start, so here is a lead that waits for its agent. */
tmuxTest('on a replay, by keys alone: ctrl-b sends an agent to the background', async () => {
  const place = newPlace();
  const tape = join(place.userHome, 'background.tape');
  const recorded = await recordBackground(place.cwd, place, tape);
  await playing(place, recorded, tape, async (screen) => {
    await send(screen, recorded.prompt);
    await seen(screen, /● Explore Find the formula \d/);
    await settled(screen);
    expectScreen('demo-foreground', screen);
    screen.press('C-b');
    await seen(screen, 'So that is the mistake.');
    await gone(screen, 'esc to stop');
    await settled(screen);
    expectScreen('demo-background', screen);
    await leave(screen);
  });
});

tmuxTest('another answer than the recorded one is where a replay by hand differs', async () => {
  const place = newPlace();
  const tape = join(place.userHome, 'background.tape');
  const recorded = await recordBackground(place.cwd, place, tape);
  await playing(place, recorded, tape, async (screen) => {
    await send(screen, 'Something else.');
    await seen(screen, 'The replay differs from its recording');
    await seen(screen, 'recorded: "Let somebody look at the formula."');
    await seen(screen, 'now: "Something else."');
    screen.press('C-c');
    await seen(screen, 'ctrl-c again to quit');
    screen.press('C-c');
    await screen.shows('exit code 1');
  });
});

tmuxTest('a replay by hand whose terminal goes away at a question ends with it', async () => {
  const recorded = await recordOnce();
  await playing(recordedPlace, recorded, demoTape, async (screen) => {
    await send(screen, recorded.prompt);
    await asks(screen, 'Let worker agents edit');
  });
  while (spawnSync('pgrep', ['-f', demoTape]).status === 0) await Bun.sleep(50);
});

/** A session on a tape cannot be gone back in, and there is nothing of it to go on with: this is the story itself. */
tmuxTest('the demo as it is played, by keys alone: going back, leaving, and going on with it', async () => {
  const place = newPlace();
  const kept = await shown(place, ['demo', '--keep'], { TMPDIR: place.userHome }, async (screen) => {
    await answer(screen, 'Let worker agents edit');
    await answer(screen, 'lead asks: Land');
    await answer(screen, 'Fixed. I am landing it.');
    await seen(screen, 'its owner fixed it.');
    await gone(screen, 'esc to stop');
    const [demo = ''] = readdirSync(place.userHome);
    const random = [place.cwd.slice(-11, -5), demo.slice(-6), sessionIn(join(place.userHome, demo, 'home'))];
    await send(screen, '/rewind');
    await seen(screen, 'Go back to before which prompt?');
    screen.press('Enter');
    await seen(screen, 'What do you want to restore?');
    await settled(screen);
    expectScreen('demo-rewind', screen, random);
    screen.press('Enter');
    await seen(screen, 'Rewound to an earlier point; no file changes.');
    await seen(screen, /^❯ The Celsius values are wrong.*\n─/m);
    await settled(screen);
    expectScreen('demo-rewound', screen, random);
    screen.press('Enter');
    await seen(screen, 'The demo ends here');
    await leave(screen);
    return join(place.userHome, demo);
  });

  await using provider = await fakeProvider({ script: [say('At the beginning.')] });
  const env = environmentOf({ place, provider, env: { CADRE_HOME: join(kept, 'home') } });
  // The model of the story is nowhere else.
  const again = ['--continue', '--model', 'anthropic/claude-sonnet-4-5'];
  await shown({ ...place, cwd: join(kept, 'degrees') }, again, env, async (screen) => {
    await seen(screen, 'The demo ends here');
    await seen(screen, '❯ Ask for something.');
    await settled(screen);
    expectScreen('demo-resumed', screen);
    await send(screen, 'Where are we?');
    await seen(screen, 'At the beginning.');
    await leave(screen);
  });
  const [request] = provider.received;
  expect(JSON.stringify(request?.messages)).toContain('The demo ends here');
  expect(JSON.stringify(request?.messages)).not.toContain('I only coordinate');
});

tmuxTest('the demo shows the worktrees that are there, those that are landed no more', async () => {
  const place = newPlace();
  await shown(place, ['demo'], { TMPDIR: place.userHome }, async (screen) => {
    await answer(screen, 'Let worker agents edit');
    await answer(screen, 'lead asks: Land');
    await asks(screen, 'Fixed. I am landing it.');
    screen.press('Escape');
    await seen(screen, 'ctrl-q answers');
    await send(screen, '/worktrees');
    expect(await seen(screen, /kelvin-\w+ Add Kelvin/)).not.toContain('fixer');
    screen.press('Escape');
    await gone(screen, 'esc goes back');
    screen.press('C-t');
    const panel = await seen(screen, /^Worktrees$/m);
    expect(panel.slice(panel.indexOf('Worktrees'))).toMatch(/kelvin-/);
    expect(panel.slice(panel.indexOf('Worktrees'))).not.toContain('fixer');
    screen.press('Escape');
    await gone(screen, 'esc goes back');
    screen.press('C-q');
    await answer(screen, 'Fixed. I am landing it.');
    await seen(screen, 'its owner fixed it.');
    await gone(screen, 'esc to stop');
    await leave(screen);
  });
});

tmuxTest('the demo is gone with its directory when it is left', async () => {
  const place = newPlace();
  await shown(place, ['demo'], { TMPDIR: place.userHome }, async (screen) => {
    await asks(screen, 'Let worker agents edit');
    screen.press('Escape');
    await gone(screen, 'a key or return answers');
    await leave(screen);
    expect(screen.screen()).not.toContain('Resume it');
    expect(readdirSync(place.userHome)).toEqual([]);
  });
});

function sessionIn(home: string): string {
  const found = new Bun.Glob('projects/*/*.jsonl').scanSync(home).next().value ?? '';
  return basename(found, '.jsonl');
}

/** The question has the keys, and all of it was on the screen. */
async function asks(screen: Screen, text: string): Promise<void> {
  await seen(screen, text);
  const now = await seen(screen, /a key or return answers|\d+ more lines:/);
  if (now.includes(' more lines:')) screen.press('End');
  await seen(screen, /a key or return answers|pageup\/pagedown/);
  await settled(screen);
}

async function answer(screen: Screen, text: string, golden?: string): Promise<void> {
  await asks(screen, text);
  if (golden !== undefined) expectScreen(golden, screen);
  screen.press('y');
}

async function leave(screen: Screen): Promise<void> {
  screen.press('C-c');
  await seen(screen, 'ctrl-c again to quit');
  screen.press('C-c');
  await screen.shows('exit code 0');
}

function playing(
  place: Place,
  { repository }: Recorded,
  tape: string,
  body: (screen: Screen) => Promise<void>,
): Promise<void> {
  const args = ['--replay', tape, '--by-hand'];
  return shown({ ...place, cwd: repository }, args, {}, async (screen) => {
    await seen(screen, '❯ Ask for something.');
    await body(screen);
  });
}

async function shown<T>(
  place: Place,
  args: string[],
  env: Record<string, string>,
  body: (screen: Screen) => Promise<T>,
): Promise<T> {
  const pane = openPane({
    command: [program, ...args],
    cwd: place.cwd,
    env: { ...environmentOf({ place }), CADRE_STILL: '1', ...env },
    columns: 100,
    rows: 40,
  });
  try {
    return await body({ ...pane, place } as Screen);
  } finally {
    pane.close();
  }
}
