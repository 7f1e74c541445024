import { expect } from 'bun:test';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recoverConfined } from '../../../src/sandbox/guard/recover.ts';
import { needs, temporaryDirectory } from '../../support/index.ts';
import { asUser } from './as-user.ts';
import { isAnyLeft, outliveCommand, takenOverRoom } from './outlive-inside.ts';
import { begin, held, room, run } from './support.ts';

const test = needs('bwrap');

const nothing = { ran: 'ran\n', left: false, notes: [] };

test('what took over the first process inside is ended with its command, for root', async () => {
  expect(await outliveCommand(temporaryDirectory().path)).toEqual(nothing);
}, 60_000);

test('what took over the first process inside is ended with its command, for an ordinary user', async () => {
  expect(await asUser<unknown>('outlive-inside.ts', 'outliveCommand')).toEqual(nothing);
}, 60_000);

test('what took over the first process inside is ended with a command that is cut off', async () => {
  const { path } = temporaryDirectory();
  const at = takenOverRoom(path);
  const token = `cut-off-${path}`;
  const command = await begin(at, `exec -a ${token} sleep 600 & sleep 600`);
  while (!isAnyLeft(token)) await Bun.sleep(10);
  await command.end();
  expect(isAnyLeft(token)).toBe(false);
}, 60_000);

test('what outlived a Cadre that was killed is ended by the next one, and what it made later is taken away', async () => {
  const { path } = temporaryDirectory();
  const token = `killed-${path}`;
  Bun.spawnSync([process.execPath, join(import.meta.dirname, 'outlive.script.ts'), path, token]);
  while (!isAnyLeft(token)) await Bun.sleep(10);
  const at = takenOverRoom(path);
  const folder = join(at.home, 'confined');
  // As if it had been killed long ago.
  const long = Date.now() / 1000 - 60;
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), long, long);
  writeFileSync(join(at.cwd, 'go'), '');
  while (!existsSync(join(at.cwd, 'made'))) await Bun.sleep(10);
  recoverConfined(at.home);
  expect([isAnyLeft(token), existsSync(join(at.cwd, 'sub/.vscode')), held(at).length]).toEqual([
    false,
    false,
    1,
  ]);
  expect(readdirSync(folder)).toEqual([]);
}, 60_000);

test('debuggers start programs inside, and processes are listed', async () => {
  const traced = [
    'my $child = fork;',
    'if (!$child) { syscall($ENV{PTRACE} + 0, 0, 0, 0, 0); kill "STOP", $$; exit 7; }',
    // Only a child that is traced can be continued so.
    'waitpid($child, 0); my $went = syscall($ENV{PTRACE} + 0, 7, $child, 0, 0);',
    'kill "KILL", $child if $went != 0; waitpid($child, 0); print $went == 0 ? $? >> 8 : "not traced";',
  ].join(' ');
  const call = process.arch === 'arm64' ? 117 : 101;
  const { text } = await run(
    room(),
    `PTRACE=${call} /usr/bin/perl -e '${traced}'; echo; ps -e -o comm= > /tmp/list; grep -c bash /tmp/list; pgrep -c bash; ls /proc/self/task | wc -l`,
  );
  expect(text).toBe('7\n1\n1\n1\n');
});

test('a program attaches to another one of its command, and not to the first process', async () => {
  const attach = [
    'my $child = fork; if (!$child) { sleep 60; exit; }',
    'print syscall($ENV{PTRACE} + 0, 16, $child, 0, 0), " ", syscall($ENV{PTRACE} + 0, 16, 1, 0, 0);',
    'kill "KILL", $child;',
  ].join(' ');
  const call = process.arch === 'arm64' ? 117 : 101;
  const { text } = await run(room(), `PTRACE=${call} /usr/bin/perl -e '${attach}'`);
  expect(text).toBe('0 -1');
});
