import { expect, test } from 'bun:test';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { call, fakeProvider } from '../../src/testing/index.ts';
import { needs, nobody } from '../support/index.ts';
import { asNobody, cadre, modesBelow, newPlace, type Place } from './support.ts';

const flags = ['--permission-mode', 'bypassPermissions'];
const loud = 'for i in $(seq 20000); do echo "line $i"; done';

for (const mask of ['000', '022', '077'])
  test(`all that is kept is its owner's alone under umask ${mask}`, async () => {
    const place = newPlace();
    await work(place, ['sh', '-c', `umask ${mask}; exec "$@"`, 'sh']);
    expectPrivate(place);
  });

needs('setpriv')('the same for somebody without rights', async () => {
  const place = newPlace();
  const above = dirname(place.cwd);
  for (const path of [above, place.cwd, place.userHome]) chownSync(path, nobody, nobody);
  await work(place, [...asNobody, 'sh', '-c', 'umask 000; exec "$@"', 'sh']);
  expectPrivate(place);
});

test('a home that its owner made open to others is closed when it holds something', async () => {
  const place = newPlace();
  mkdirSync(place.home, { mode: 0o755 });
  await work(place, []);
  expectPrivate(place);
});

test('a file that an edit changes keeps the mode that it had', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({
    script: [
      call('Read', { file_path: 'run.sh' }),
      call('Edit', { file_path: 'run.sh', old_string: 'one', new_string: 'two' }),
      'Done.',
    ],
  });
  writeFileSync(join(place.cwd, 'run.sh'), 'echo one\n');
  chmodSync(join(place.cwd, 'run.sh'), 0o754);
  await cadre(['-p', 'Go', ...flags], { place, provider });
  provider.assertConsumed();
  expect(modesBelow(place.cwd)['run.sh']).toBe('754');
});

/** Leaves everything that a session can leave: transcript, kept file, large output, ripgrep, key. */
async function work(place: Place, under: string[]): Promise<void> {
  writeFileSync(join(place.cwd, 'a.txt'), 'one\n');
  chmodSync(join(place.cwd, 'a.txt'), 0o666);
  await using provider = await fakeProvider({
    script: [
      call('Read', { file_path: 'a.txt' }),
      call('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }),
      call('Grep', { pattern: 'two' }),
      call('Bash', { command: loud }),
      call('Bash', { command: 'sleep 0.1; echo done', run_in_background: true }),
      'Done.',
      'Noted.',
    ],
  });
  const ended = await cadre(['-p', 'Go', ...flags], { place, provider, under });
  expect(ended).toMatchObject({ code: 0 });
  expect(await cadre(['key', 'set', 'anthropic'], { place, under, input: 'k' })).toMatchObject({ code: 0 });
}

function expectPrivate(place: Place): void {
  const modes = Object.entries(modesBelow(place.home));
  const wrong = modes.filter(([name, mode]) => mode !== '700' && (mode !== '600' || name.includes('/rg-')));
  expect(wrong).toEqual([]);
  const names = modes.map(([name]) => name).join('\n');
  for (const kept of ['.jsonl', 'keys.json', 'bin/rg-', 'tool-results/', 'file-history/'])
    expect(names).toContain(kept);
  // Of what is executable there is ripgrep and no more.
  const files = modes.filter(([name, mode]) => mode === '700' && /\.\w+$|rg-/.test(name) && name !== '.');
  expect(files.map(([name]) => name.replace(/rg-.*/, 'rg'))).toEqual(['bin/rg']);
}
