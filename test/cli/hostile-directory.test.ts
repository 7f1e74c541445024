import { expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, fakeProvider, type Turn } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';
import { setTrap, type Trap } from './hostile.ts';
import { cadre, newPlace, type Place, unconfined } from './support.ts';

const turns: Turn[] = [
  call('Read', { file_path: 'notes.txt' }),
  call('Grep', { pattern: 'needle', path: 'notes.txt', output_mode: 'content' }),
  call('Glob', { pattern: 'notes.*' }),
  call('Bash', { command: 'echo from the shell' }),
  'Done.',
];
const flags = ['--allowedTools', 'Bash(echo *)', '--output-format', 'stream-json'];

test('G9: a directory that sets traps is worked in and springs none', async () => {
  const { place, trap } = hostilePlace();
  await using provider = await fakeProvider({ script: turns });
  const ended = await cadre(['-p', 'Look around.', ...flags], { place, provider });
  expect(ended).toMatchObject({ code: 0 });
  provider.assertConsumed();
  expect(ended.out).toContain('1:needle');
  expect(ended.out).toContain('from the shell');
  expect(provider.requests[0]?.headers['x-api-key']).toBe('a-test-key');
  expect(existsSync(join(place.cwd, 'stolen'))).toBe(false);
  expect(trap.isSprung()).toBe(false);
});

test('G9: the demo springs no trap of the directory that it is started in', async () => {
  const { place, trap } = hostilePlace();
  const ended = await cadre(['demo'], { place });
  expect(ended).toMatchObject({ code: 0 });
  expect(trap.isSprung()).toBe(false);
});

test('G9: a search path that leads into the directory does not decide which programs are ours', async () => {
  const { place, trap } = hostilePlace();
  await using provider = await fakeProvider({ script: turns });
  // Only our own choices are meant: what a command looks up by name is between the user and that path.
  const env = { PATH: `.::/usr/bin:/bin`, SHELL: 'bash' };
  const ended = await cadre(['-p', 'Look around.', ...flags], { place, provider, env });
  expect(ended).toMatchObject({ code: 0 });
  provider.assertConsumed();
  expect(ended.out).toContain('from the shell');
  expect(trap.isSprung() ? readFileSync(trap.marker, 'utf8') : '').toBe('');
});

needs('strace')('G9: the program opens nothing of the directory but what it was asked for', async () => {
  const { place, trap } = hostilePlace();
  // Without Glob: a search for names walks through every directory, and is meant to.
  const script = turns.filter((turn) => !JSON.stringify(turn).includes('"Glob"'));
  await using provider = await fakeProvider({ script });
  const log = join(place.userHome, 'strace.log');
  const under = ['strace', '-f', '-y', '-qq', '-e', 'trace=openat,open,execve', '-s', '4096', '-o', log];
  // Kept nowhere, so nothing is stored for undo: that opens new files in the background, as data, if the run takes long enough.
  const unkept = [...flags, ...unconfined, '--no-session-persistence'];
  const ended = await cadre(['-p', 'Look around.', ...unkept], { place, provider, under });
  expect(ended).toMatchObject({ code: 0 });
  const opened = openedBelow(place.cwd, readFileSync(log, 'utf8'));
  expect(opened).toContain('notes.txt');
  expect(opened.filter((path) => trap.baits.includes(path))).toEqual([]);
  // Memory, settings and what kind of repository it is are ours to read; the rest was named by a tool call, or is what rg and git's
  // status ask of any directory: names, and which of them are ignored.
  const expected =
    /^(notes\.txt|AGENTS\.md|CLAUDE.*\.md|\.(cadre|claude|agents)(\/.*)?|)$|^\.(git|rg|)ignore$|^\.git(?:\/(?:HEAD|config|index|packed-refs|info\/exclude|sequencer\/todo|worktrees))?$|^node_modules(?:\/commander)?\/?(?:\.gitignore)?$/;
  expect(opened.filter((path) => !expected.test(path))).toEqual([]);
});

function hostilePlace(): { place: Place; trap: Trap } {
  const place = newPlace();
  const trap = setTrap(place.cwd, join(place.userHome, 'sprung'));
  writeFileSync(join(place.cwd, 'notes.txt'), 'needle\n');
  return { place, trap };
}

/** The names below a directory that were opened or executed, successfully or not, relative to it. */
function openedBelow(directory: string, log: string): string[] {
  const named = [...log.matchAll(/(?:openat\(([^,]*), |open\(|execve\()"([^"]*)"/g)];
  // By the name that was given, and by what the kernel opened: a path may begin at a descriptor.
  const opened = [...log.matchAll(/ = \d+<(\/[^>]*)>/g)].map(([, path = '']) => path);
  const given = named.map(([, from = '', path = '']) =>
    path.startsWith('/') ? path : join(/<(\/[^>]*)>/.exec(from)?.[1] ?? directory, path),
  );
  // A bare number is a descriptor that rg was handed, opened from the directory of its descriptors.
  const paths = [...given.filter((path) => !/\/\d+$/.test(path)), ...opened];
  const below = paths.filter((path) => path.startsWith(`${directory}/`));
  return [...new Set(below.map((path) => path.slice(directory.length + 1)))];
}
