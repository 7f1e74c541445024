import { describe, expect } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recoverConfined } from '../../../src/sandbox/guard/recover.ts';
import { needs } from '../../support/index.ts';
import { begin, git, held, pretendKilled, type Room, room, run } from './support.ts';

const test = needs('bwrap');

function repository(cwd: string): void {
  mkdirSync(cwd, { recursive: true });
  git(cwd, 'init', '-q', '-b', 'main');
  for (const text of ['first', 'second', 'third']) {
    writeFileSync(join(cwd, 'a.txt'), text);
    git(cwd, 'add', 'a.txt');
    git(cwd, 'commit', '-qm', text);
  }
}

/** A workspace with a submodule, which has a submodule of its own. */
function withSubmodule(path = 'sm'): Room & { module: string; data: string } {
  const at = room();
  const [library, inner] = [join(at.userHome, 'library'), join(at.userHome, 'inner')];
  for (const one of [inner, library, at.cwd]) repository(one);
  git(library, 'submodule', 'add', '-q', inner, 'inner');
  git(library, 'commit', '-qm', 'with inner');
  git(library, 'commit', '-qm', 'last', '--allow-empty');
  git(at.cwd, 'submodule', 'add', '-q', library, path);
  git(at.cwd, 'submodule', 'update', '-q', '--init', '--recursive');
  git(at.cwd, 'commit', '-qm', 'with a submodule');
  writeFileSync(join(at.userHome, '.gitconfig'), '[user]\nname = A\nemail = a@example.com\n');
  return { ...at, module: join(at.cwd, path), data: join(at.cwd, '.git/modules', path) };
}

const changes = {
  'a commit': 'echo 1 > n && git add n && git commit -qm n',
  'a commit on a new branch': 'echo 1 > n && git add n && git switch -q -c fix && git commit -qm n',
  'a switch to an earlier commit': 'git checkout -q HEAD~1',
  'packing what it has': 'echo 1 > n && git add n && git commit -qm n && git gc -q',
};

describe('a command in a submodule', () => {
  for (const [what, line] of Object.entries(changes))
    for (const path of ['sm', 'deep/sub', 'sm/inner'])
      test(`${what} in ${path} stays`, async () => {
        const at = withSubmodule(path.replace('/inner', ''));
        const inside = join(at.cwd, path);
        const { code, notes, text } = await run(at, `cd ${path} && ${line} && git rev-parse HEAD`);
        expect([code, notes, at.notices]).toEqual([0, [], []]);
        expect(git(inside, 'rev-parse', 'HEAD')).toBe(text.trim());
        expect([held(at), git(inside, 'fsck')]).toEqual([[], '']);
      });

  test('one in the background is not ended for a commit', async () => {
    const at = withSubmodule();
    const command = await begin(at, `cd sm; ${changes['a commit on a new branch']}; touch ../done; sleep 60`);
    while (!existsSync(join(at.cwd, 'done'))) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(command.offends()).toBe(false);
    expect(await command.end()).toEqual([]);
    expect(git(at.module, 'branch', '--show-current')).toBe('fix');
  });

  test('its commit stays where Cadre is killed meanwhile', async () => {
    const at = withSubmodule();
    const command = await begin(at, `cd sm; ${changes['a commit on a new branch']}; touch ../done; sleep 60`);
    while (!existsSync(join(at.cwd, 'done'))) await new Promise((resolve) => setTimeout(resolve, 5));
    pretendKilled(at);
    expect(recoverConfined(at.home)).toEqual([]);
    expect(git(at.module, 'branch', '--show-current')).toBe('fix');
    await command.end();
  });

  test('what git runs there stays as it was', async () => {
    const at = withSubmodule();
    const before = readFileSync(join(at.data, 'config'), 'utf8');
    const { notes } = await run(
      at,
      `cd ${at.data}; echo '[core]' >> config; echo x > hooks/pre-commit; mkdir new; cp HEAD new; mkdir new/objects new/refs; mv HEAD old; true`,
    );
    expect(readFileSync(join(at.data, 'config'), 'utf8')).toBe(before);
    expect(existsSync(join(at.data, 'hooks/pre-commit'))).toBe(false);
    // A repository among its data is new, and its own head is put back.
    expect(existsSync(join(at.data, 'new/HEAD'))).toBe(false);
    expect(notes.join()).toContain(join(at.data, 'new/HEAD'));
    expect(git(at.module, 'status', '--short', '--branch')).toContain('main');
  });

  test('one that has no work tree is read-only', async () => {
    const at = withSubmodule();
    git(at.cwd, 'submodule', 'deinit', '-q', '-f', 'sm');
    const { code } = await run(at, `echo ref: refs/heads/x > ${at.data}/HEAD`);
    expect([code, git(at.data, 'symbolic-ref', 'HEAD')]).toEqual([1, 'refs/heads/main']);
  });
});

describe('your own work in a submodule while a command runs', () => {
  test('a commit that you switch to stays', async () => {
    const at = withSubmodule();
    const command = await begin(at, 'tail -f /dev/null');
    git(at.module, 'checkout', '-q', 'HEAD~1');
    const head = git(at.module, 'rev-parse', 'HEAD');
    expect(command.offends()).toBe(false);
    expect(await command.end()).toEqual([]);
    expect([git(at.module, 'rev-parse', 'HEAD'), at.notices]).toEqual([head, []]);
  });
});
