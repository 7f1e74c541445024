import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { processMark } from '../../src/lib/processes/mark.ts';
import { call, fakeProvider } from '../../src/testing/index.ts';
import { cadre, newPlace } from './support.ts';

const id = '11111111-1111-4111-8111-111111111111';

/** Two prompts, each of which writes a file. */
async function twoPrompts() {
  const place = newPlace();
  const write = (name: string) => call('Write', { file_path: name, content: `${name}\n` });
  await using provider = await fakeProvider({
    script: [write('one.txt'), 'Done one.', write('two.txt'), 'Done two.'],
  });
  const flags = ['-p', '--permission-mode', 'acceptEdits'];
  expect((await cadre([...flags, '--session-id', id, 'make one'], { place, provider })).code).toBe(0);
  expect((await cadre([...flags, '-c', 'make two'], { place, provider })).code).toBe(0);
  const file = (name: string) => join(place.cwd, name);
  const rewind = (...args: string[]) => cadre(['sessions', 'rewind', id, ...args], { place });
  return { place, file, rewind };
}

test('without --to the prompts are listed, with numbers, files and how to go on', async () => {
  const { rewind } = await twoPrompts();
  const { code, out } = await rewind();
  expect(code).toBe(0);
  expect(out).toMatch(/^1 {2}.* {2}2 files {2}make one\n2 {2}.* {3}1 file {2}make two\n/);
  expect(out).toContain(`cadre sessions rewind ${id} --to N`);
});

test('--dry-run says what would be done and does nothing', async () => {
  const { rewind, file } = await twoPrompts();
  const { code, out } = await rewind('--to', '2', '--dry-run');
  expect(code).toBe(0);
  expect(out).toContain('The conversation would be back at “make two”.');
  expect(out).toContain(`would be removed: ${file('two.txt')}`);
  expect(existsSync(file('two.txt'))).toBe(true);
});

test('--to N brings conversation and files back, and the session goes on from there', async () => {
  const { place, rewind, file } = await twoPrompts();
  const { code, out, err } = await rewind('--to', '2');
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain(`removed: ${file('two.txt')}`);
  expect([existsSync(file('one.txt')), existsSync(file('two.txt'))]).toEqual([true, false]);
  await using provider = await fakeProvider({ script: ['Gone on.'] });
  await cadre(['-p', '-c', 'other'], { place, provider });
  const sent = String(provider.requests[0]?.body);
  expect(sent).toContain('Done one.');
  expect(sent).not.toContain('make two');
});

test('--files leaves the conversation, --conversation the files', async () => {
  const { rewind, file } = await twoPrompts();
  expect((await rewind('--to', '1', '--conversation')).out).toContain('back at “make one”');
  expect(existsSync(file('one.txt'))).toBe(true);
  const undo = await rewind('--to', '1', '--files');
  expect(undo.out).toContain('The conversation stays as it is.');
});

test('a file that the user changed is left alone with exit code 1; --force keeps a copy', async () => {
  const { rewind, file } = await twoPrompts();
  writeFileSync(file('two.txt'), 'mine');
  const refused = await rewind('--to', '2', '--files');
  expect(refused.code).toBe(1);
  expect(refused.out).toContain(`not restored: ${file('two.txt')}: you or another program changed it`);
  expect(readFileSync(file('two.txt'), 'utf8')).toBe('mine');
  const { code, out } = await rewind('--to', '2', '--files', '--force', '--json');
  expect(code).toBe(0);
  const [copy] = JSON.parse(out).copies;
  expect(readFileSync(copy.copy, 'utf8')).toBe('mine');
});

test('going back again to the same number goes to the same prompt', async () => {
  const { rewind, file } = await twoPrompts();
  expect((await rewind('--to', '1')).out).toContain(`removed: ${file('one.txt')}`);
  const again = await rewind('--to', '1');
  expect([again.code, again.out]).toEqual([0, expect.stringContaining('already have their earlier content')]);
  expect(existsSync(file('one.txt'))).toBe(false);
  expect((await rewind('--to', '2')).out).toContain(`restored: ${file('one.txt')}`);
});

test('of many files the first twenty are named, and all of them with --verbose', async () => {
  const place = newPlace();
  const command = 'for n in $(seq 101 400); do echo $n > f$n.txt; done';
  await using provider = await fakeProvider({ script: [call('Bash', { command }), 'Done.'] });
  const flags = ['-p', '--dangerously-skip-permissions', '--session-id', id];
  expect((await cadre([...flags, 'make many'], { place, provider })).code).toBe(0);
  const rewind = (...args: string[]) =>
    cadre(['sessions', 'rewind', id, '--to', '1', '--dry-run', ...args], { place });
  const { out } = await rewind();
  expect(out.match(/would be removed: \//g)).toHaveLength(20);
  expect(out).toContain('would be removed: and 280 more (--verbose lists them all)');
  expect(out).toContain('Files: 300 would be removed.');
  expect((await rewind('--verbose')).out.match(/would be removed: \//g)).toHaveLength(300);
  expect(JSON.parse((await rewind('--json')).out).removed).toHaveLength(300);
});

test('a session that is open elsewhere is refused with a way that works here', async () => {
  const { place, rewind } = await twoPrompts();
  const mark = JSON.stringify(processMark(process.pid));
  mkdirSync(join(place.home, 'running'), { recursive: true });
  writeFileSync(join(place.home, 'running', `${id}.json`), mark);
  const { code, err } = await rewind('--to', '2');
  expect(code).toBe(2);
  expect(err).toContain('Use /rewind there, or close it and try again.');
  expect(err).not.toContain('--fork-session');
});

test('what is wrong is a usage error that says what there is', async () => {
  const { place, rewind } = await twoPrompts();
  const number = await rewind('--to', '9');
  expect([number.code, number.err]).toEqual([2, expect.stringContaining('--to 9: there are 2 points')]);
  const uuid = await rewind('--to', 'nobody');
  expect([uuid.code, uuid.err]).toEqual([2, expect.stringContaining('There is no prompt nobody')]);
  const session = await cadre(['sessions', 'rewind', 'ffff'], { place });
  expect([session.code, session.err]).toEqual([2, expect.stringContaining('No session "ffff"')]);
});

test('cadre sessions still lists sessions, also as JSON', async () => {
  const { place } = await twoPrompts();
  expect(JSON.parse((await cadre(['sessions', '--json'], { place })).out)).toMatchObject([{ id }]);
});

test('a number that is not on the list is told how many there are', async () => {
  const { rewind } = await twoPrompts();
  expect((await rewind('--to', '3')).err).toContain('there are 2 points to go back to.');
  await rewind('--to', '1', '--conversation');
  // The prompt that was gone back to, and the state before that.
  expect((await rewind('--to', '3')).err).toContain('there are 2 points to go back to.');
});

test('where every changed file stays, it is not said that none was changed', async () => {
  const { rewind, file } = await twoPrompts();
  writeFileSync(file('two.txt'), 'by hand\n');
  const { out } = await rewind('--to', '2', '--dry-run');
  expect(out).toContain(`not restored: ${file('two.txt')}`);
  expect(out).not.toContain('No files were changed');
});

test('a file outside the working directories is left alone, and --add-dir brings it back', async () => {
  const place = newPlace();
  const extra = join(place.cwd, '..', 'extra');
  mkdirSync(extra);
  const made = join(extra, 'made.txt');
  await using provider = await fakeProvider({
    script: [call('Write', { file_path: made, content: 'x\n' }), 'Done.'],
  });
  const flags = ['-p', '--permission-mode', 'acceptEdits', '--add-dir', extra, '--session-id', id];
  await cadre([...flags, 'make it'], { place, provider });
  const rewind = (...args: string[]) =>
    cadre(['sessions', 'rewind', id, '--to', '1', '--files', ...args], { place });
  const left = await rewind();
  expect(left).toMatchObject({ code: 1, out: expect.stringContaining('With --add-dir DIRECTORY, files in') });
  expect(existsSync(made)).toBe(true);
  const { code, out } = await rewind('--add-dir', extra);
  expect([code, existsSync(made)]).toEqual([0, false]);
  expect(out).not.toContain('--add-dir');
});
