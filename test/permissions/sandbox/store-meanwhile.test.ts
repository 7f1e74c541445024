import { afterEach, expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { watchRunningCommands } from '../../../src/sandbox/running-commands.ts';
import { confineFilters } from '../../../src/workspace/git/confine-filters.ts';
import { createWorktree } from '../../../src/workspace/worktrees/create.ts';
import { discardWorktree } from '../../../src/workspace/worktrees/remove.ts';
import { needs } from '../../support/index.ts';
import { begin, git, put, type Room, room, world } from './support.ts';

const test = needs('bwrap');
const forever = 'tail -f /dev/null';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const names = Array.from({ length: 60 }, (_, index) => `f${index}`);
const secret = 'kept outside, of the same size\n';
const plain = 'in the work, with as many byte\n';

/** A repository with uncommitted changes, and files of the same names and sizes outside. */
function repository(): Room {
  const at = room();
  ends.push(watchRunningCommands(at.home));
  put(at, { ...Object.fromEntries(names.map((name) => [`d/${name}`, 'first\n'])), 'a.txt': 'a\n' });
  put(at, {
    '.gitignore': '/built/\n/closed/\nswapper*\n',
    ...Object.fromEntries(names.map((name) => [`closed/${name}`, secret])),
    ...Object.fromEntries(names.map((name) => [`built/in/${name}`, plain])),
  });
  git(at.cwd, 'init', '-q');
  git(at.cwd, 'add', '.');
  git(at.cwd, 'commit', '-qm', 'first');
  for (const name of names) writeFileSync(join(at.cwd, 'd', name), plain);
  mkdirSync(join(at.userHome, 'outside'));
  for (const name of names) writeFileSync(join(at.userHome, 'outside', name), secret);
  return at;
}

const order = (cwd: string, slug: string) => ({
  ...{ cwd, slug, session: 's', agentId: null, uncommitted: true },
  fill: { copyDirectories: ['built'], linkDirectories: [], sandboxed: true },
});

/**
 * A confined command that puts a link to what is outside in the place of the directory, for the moment in which a file is
 * looked at and opened, and takes it away again.
 */
async function swapping(at: Room, directory: string, target: string): Promise<{ end(): Promise<unknown> }> {
  writeFileSync(join(at.cwd, 'swapper.c'), swapper);
  execFileSync('cc', ['-O1', '-o', 'swapper', 'swapper.c'], { cwd: at.cwd });
  const link = `ln -s ${target} ${directory}-link`;
  const running = await begin(at, `${link}; touch swapper-runs; ./swapper ${directory} ${directory}-link`);
  while (!existsSync(join(at.cwd, 'swapper-runs'))) await Bun.sleep(5);
  return running;
}

const swapper = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(int count, char **names) {
  for (;;) {
    for (int turn = 0; turn < 2; turn++) {
      syscall(SYS_renameat2, AT_FDCWD, names[1], AT_FDCWD, names[2], 2);
      if (turn == 0) for (volatile int spin = 0; spin < 20000; spin++);
    }
    struct timespec rest = {0, 100000};
    nanosleep(&rest, 0);
  }
}
`;

/** What is in the worktrees that were made, as text. */
async function collect(at: Room, turns: number): Promise<{ made: number; text: string }> {
  let [made, text] = [0, ''];
  for (let turn = 0; turn < turns; turn++) {
    const one = await createWorktree(order(at.cwd, `w${turn}`), world(at));
    if (!one.ok) continue;
    const { path } = one.value.record;
    // A link that is brought as a link leads an agent to nothing that it may not read anyway.
    const inside = ['d', 'built/in']
      .map((name) => join(path, name))
      .filter((place) => lstatSync(place, { throwIfNoEntry: false })?.isDirectory());
    const files = inside.flatMap((place) =>
      readdirSync(place).map((name) => readFileSync(join(place, name), 'utf8')),
    );
    if (files.length > 0) made++;
    text += files.join('');
    await discardWorktree(one.value.record, world(at));
  }
  return { made, text };
}

for (const [what, target] of [
  ['outside', ({ userHome }: Room) => join(userHome, 'outside')],
  // Such as one that a rule closes to agents.
  ['from another directory of the work', ({ cwd }: Room) => join(cwd, 'closed')],
] as const)
  for (const [where, directory] of [
    ['uncommitted work', 'd'],
    ['a directory that is copied', 'built/in'],
  ] as const)
    test(`a command that swaps a directory with a link brings no file ${what} into ${where}`, async () => {
      const at = repository();
      const running = await swapping(at, directory, target(at));
      const { made, text } = await collect(at, 12).finally(() => running.end());
      expect(made).toBeGreaterThan(0);
      expect(text).not.toContain('outside');
    }, 60_000);

test('uncommitted work is found beside a command, with the settings of the user and of the repository', async () => {
  const at = repository();
  writeFileSync(join(at.userHome, '.gitconfig'), '[core]\n\texcludesFile = ~/.ignored\n\tautocrlf = input\n');
  writeFileSync(join(at.userHome, '.ignored'), '*.mine\n');
  put(at, { 'new.txt': 'one\r\n', 'x.mine': '', '.gitattributes': '*.txt text\n' });
  const running = await begin(at, forever);
  ends.push(() => running.end());
  const made = await createWorktree(order(at.cwd, 'one'), world(at));
  if (!made.ok) throw new Error(made.problem.message);
  const { path } = made.value.record;
  expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('one\n');
  expect([existsSync(join(path, 'x.mine')), existsSync(join(path, 'built/in/f1'))]).toEqual([false, true]);
});

test('the sandbox of the filters of git is no command that could lead it elsewhere', async () => {
  const at = repository();
  writeFileSync(join(at.userHome, '.gitconfig'), '[filter "lfs"]\n\tclean = cat\n\tsmudge = cat\n');
  put(at, { '.gitattributes': 'a.txt filter=lfs\n', 'a.txt': 'changed\n' });
  const startFilters = confineFilters({
    ...{ sandbox: at.sandbox, home: at.home, rules: () => [], pick: (env) => ({ ...env }) },
  });
  const made = await createWorktree(order(at.cwd, 'one'), { ...world(at), startFilters });
  if (!made.ok) throw new Error(made.problem.message);
  expect(readFileSync(join(made.value.record.path, 'a.txt'), 'utf8')).toBe('changed\n');
});

for (const uses of [true, false])
  test(`a filter that ${uses ? 'a file' : 'no file'} uses beside a command`, async () => {
    const at = repository();
    const filter = join(at.userHome, 'filter');
    copyFileSync('/bin/cat', filter);
    chmodSync(filter, 0o755);
    writeFileSync(
      join(at.userHome, '.gitconfig'),
      `[filter "e"]\n\tclean = ${filter}\n\tsmudge = ${filter}\n`,
    );
    if (uses) put(at, { '.gitattributes': 'a.txt filter=e\n' });
    const running = await begin(at, forever);
    ends.push(() => running.end());
    const script = join(at.userHome, 'script');
    writeFileSync(script, 'exec cat');
    const made = await createWorktree(order(at.cwd, 'one'), {
      ...world(at),
      startFilters: (_, work) => work({ script, descriptors: [], env: world(at).env }),
    });
    if (uses) expect(made.ok ? '' : made.problem.message).toContain('A confined command runs');
    else expect(made.ok && existsSync(join(made.value.record.path, 'd/f1'))).toBe(true);
  });
