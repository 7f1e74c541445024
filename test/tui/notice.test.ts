import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPty } from '../../bench/pty.ts';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { detectNotification } from '../../src/tui/terminal/notify.ts';
import { environmentOf, newPlace, program, unconfined } from '../cli/support.ts';

/** Everything that is written to the terminal until a question is there. */
async function askedWith(
  terminal: object,
  more: { environment?: object; said?: string } = {},
): Promise<string> {
  const place = newPlace();
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ terminal }));
  await using provider = await fakeProvider({
    script: [call('Bash', { command: 'touch made' }), say('Done.')],
  });
  const pty = openPty({
    command: [program, ...unconfined, 'go'],
    cwd: place.cwd,
    environment: {
      ...environmentOf({ place, provider }),
      ...{ TERM: 'xterm-256color', CADRE_STILL: '1' },
      ...more.environment,
    },
  });
  try {
    if (more.said !== undefined) pty.type(more.said);
    await pty.shows(/esc sets it/);
    return pty.output();
  } finally {
    await pty.kill();
  }
}

const bell = '\u0007';

test('a question rings the bell, once', async () => {
  const output = await askedWith({});
  expect(output.split(bell)).toHaveLength(2);
});

test('a question is a notification where that is wanted', async () => {
  expect(await askedWith({ notify: 'osc9' })).toContain(`\u001b]9;Cadre: lead asks: touch made${bell}`);
});

test('nobody is called where that is not wanted', async () => {
  expect(await askedWith({ notify: 'off' })).not.toContain(bell);
});

test('a question in a window that is in front calls nobody', async () => {
  expect(await askedWith({}, { said: '\u001b[I' })).not.toContain(bell);
});

test('a question in a window that is not in front is a notification, as kitty shows it', async () => {
  const output = await askedWith({}, { said: '\u001b[O', environment: { TERM: 'xterm-kitty' } });
  expect(output).toContain('\u001b]99;i=cadre;Cadre: lead asks: touch made\u001b\\');
});

test('terminals are notified in the way they are known to show; inside tmux by a bell', () => {
  expect(detectNotification({ TERM: 'xterm-kitty' })).toBe('osc99');
  expect(detectNotification({ TERM: 'foot' })).toBe('osc777');
  expect(detectNotification({ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' })).toBe('osc9');
  expect(detectNotification({ TERM: 'xterm-kitty', TMUX: '/tmp/a,1,0' })).toBe('bell');
  expect(detectNotification({ TERM: 'xterm' })).toBe('bell');
});

test('a text with semicolons is one text in the form that uses them', async () => {
  const output = await askedWith({ notify: 'osc777' });
  expect(output).toContain('\u001b]777;notify;Cadre;lead asks: touch made\u0007');
});
