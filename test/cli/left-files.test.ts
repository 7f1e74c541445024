import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { cadre, newPlace, start, unconfined } from './support.ts';

const deadName = '999999999.1.abcdefghijklmnop';

test('G5 doctor names what a killed process left, the next start removes it, and then doctor finds nothing', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: [say('Hello.')] });
  mkdirSync(join(place.home, 'pipes'), { recursive: true, mode: 0o700 });
  const left = [`.settings.json.${deadName}.tmp`, `pipes/.fifo-${deadName}`].map((name) =>
    join(place.home, name),
  );
  for (const path of left) writeFileSync(path, '');
  const before = await cadre(['doctor'], { place, provider });
  expect(before.out).toContain(`2 temporary files: ${left.join(', ')}`);
  expect(left.every((path) => existsSync(path))).toBe(true);
  expect((await cadre(['-p', 'Hello'], { place, provider })).code).toBe(0);
  expect(left.filter((path) => existsSync(path))).toEqual([]);
  const after = await cadre(['doctor'], { place, provider });
  expect(after.out).toContain('nothing left behind by crashed sessions');
  expect(after.out).toContain('MB of 5000 MB (cleanupMaxMegabytes)');
});

test('G5 doctor --fix removes it at once', async () => {
  const place = newPlace();
  mkdirSync(place.home, { mode: 0o700 });
  writeFileSync(join(place.home, `.settings.json.${deadName}.tmp`), '');
  const fixed = await cadre(['doctor', '--fix'], { place });
  expect(fixed.out).toContain('1 temporary file:');
  expect(readdirSync(place.home).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('G5 doctor names what was made for a command that never started, and --fix removes it', async () => {
  const place = newPlace();
  const made = join(place.cwd, '.claude');
  mkdirSync(made);
  mkdirSync(join(place.home, 'confined'), { recursive: true, mode: 0o700 });
  writeFileSync(join(place.home, 'confined', `${deadName}.places`), JSON.stringify([made]));
  expect((await cadre(['doctor'], { place })).out).toContain('1 interrupted command');
  expect(existsSync(made)).toBe(true);
  await cadre(['doctor', '--fix'], { place });
  expect(existsSync(made)).toBe(false);
  expect((await cadre(['doctor'], { place })).out).toContain('nothing left behind by crashed sessions');
});

test('G5 doctor names the lock of worktrees of a killed process, and --fix removes it', async () => {
  const place = newPlace();
  execFileSync('git', ['init', '-q', place.cwd]);
  const lock = join(place.cwd, '.git', 'cadre-worktrees.lock');
  writeFileSync(lock, JSON.stringify({ pid: 999_999_999, start: '1', token: 'x' }));
  const found = await cadre(['doctor'], { place });
  expect(found.out).toContain(`${lock} (the lock of a process that has ended)`);
  expect(existsSync(lock)).toBe(true);
  await cadre(['doctor', '--fix'], { place });
  expect(existsSync(lock)).toBe(false);
  expect((await cadre(['doctor'], { place })).out).not.toContain(lock);
});

test('G5 a session that was killed while its command ran: one start later doctor and the disk agree that nothing is left', async () => {
  const place = newPlace();
  const command = 'touch begun; sleep 300';
  await using provider = await fakeProvider({
    script: (request) =>
      JSON.stringify(request.messages).includes('Hello') ? say('Hello.') : call('Bash', { command }),
  });
  const args = ['--permission-mode', 'bypassPermissions', ...unconfined];
  const running = start(['-p', 'Go', ...args], { place, provider });
  while (!existsSync(join(place.cwd, 'begun'))) await Bun.sleep(5);
  running.child.kill('SIGKILL');
  await running.ended;
  const before = await cadre(['doctor'], { place, provider });
  expect(before.out).toContain('1 crashed session');
  expect((await cadre(['-p', 'Hello', ...args], { place, provider })).code).toBe(0);
  const after = await cadre(['doctor'], { place, provider });
  expect(after.out).toContain('nothing left behind by crashed sessions');
  for (const folder of ['running', 'sockets', 'pipes'])
    expect(readdirSync(join(place.home, folder))).toEqual([]);
});
