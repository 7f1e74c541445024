import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPty } from '../../bench/pty.ts';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { environmentOf, newPlace, program, unconfined } from '../cli/support.ts';

/** Everything that is written to the terminal until a question is there. */
async function askedWith(terminal: object): Promise<string> {
  const place = newPlace();
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, 'settings.json'), JSON.stringify({ terminal }));
  await using provider = await fakeProvider({
    script: [call('Bash', { command: 'touch made' }), say('Done.')],
  });
  const pty = openPty({
    command: [program, ...unconfined, 'go'],
    cwd: place.cwd,
    environment: { ...environmentOf({ place, provider }), TERM: 'xterm-256color', CADRE_STILL: '1' },
  });
  try {
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
