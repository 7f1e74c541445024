import { describe, expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs, until } from '../../support/index.ts';
import { put, type Room, room, run } from './support.ts';

const test = needs('bwrap');

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    ...{ cwd, encoding: 'utf8' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });

function repository(place = ''): Room {
  const at = room();
  put(at, { [join(place, 'a.txt')]: 'a' });
  const top = join(at.cwd, place);
  git(top, 'init', '-q');
  git(top, 'add', '.');
  git(top, 'commit', '-qm', 'first');
  return at;
}

/** Runs a command that has started before something happens outside, and goes on after it. */
async function during(at: Room, happens: () => void, command: string) {
  const running = run(at, `touch started; until [ -e go ]; do sleep 0.05; done; ${command}`);
  await until(() => existsSync(join(at.cwd, 'started')));
  happens();
  writeFileSync(join(at.cwd, 'go'), '');
  return running;
}

describe('what Cadre’s own git works in is closed to a command that started before it existed', () => {
  for (const place of ['', 'below'])
    test(`the data of a new worktree, of the repository at ./${place}`, async () => {
      const at = repository(place);
      const top = join(at.cwd, place);
      const own = join(top, '.git/worktrees/one');
      const { text } = await during(
        at,
        () => git(top, 'worktree', 'add', '-q', join(at.userHome, 'one')),
        `cd ./${place}; echo ../../../evil > .git/worktrees/one/commondir; mv .git/worktrees .git/w; mkdir .git/worktrees/two; ls .git/worktrees`,
      );
      expect(readFileSync(join(own, 'commondir'), 'utf8')).toBe('../..\n');
      expect(existsSync(join(top, '.git/worktrees/two'))).toBe(false);
      expect(text).toContain('Read-only file system');
    });

  test('also when the last worktree goes meanwhile, and git removes their directory', async () => {
    const at = repository();
    const [one, two] = [join(at.userHome, 'one'), join(at.userHome, 'two')];
    git(at.cwd, 'worktree', 'add', '-q', one);
    await during(
      at,
      () => {
        git(at.cwd, 'worktree', 'remove', one);
        git(at.cwd, 'worktree', 'prune');
        git(at.cwd, 'worktree', 'add', '-q', two);
      },
      'echo ../../../evil > .git/worktrees/two/commondir',
    );
    expect(readFileSync(join(at.cwd, '.git/worktrees/two/commondir'), 'utf8')).toBe('../..\n');
    expect(git(at.cwd, 'worktree', 'list').trim().split('\n')).toHaveLength(2);
  });

  test('where the files of a landing wait', async () => {
    const at = repository();
    const staged = join(at.cwd, '.git/cadre-landing/x/new');
    await during(
      at,
      () => {
        mkdirSync(join(staged, 'd'), { recursive: true });
        writeFileSync(join(staged, 'd/file'), 'good');
      },
      `mv .git/cadre-landing/x/new/d .git/cadre-landing/x/new/e; ln -s ${at.userHome} .git/cadre-landing/x/new/d; echo evil > .git/cadre-landing/x/new/d/file; mv .git/cadre-landing .git/other`,
    );
    expect(readFileSync(join(staged, 'd/file'), 'utf8')).toBe('good');
    expect(readdirSync(staged)).toEqual(['d']);
  });

  test('nothing of it is left once no command runs', async () => {
    const at = repository();
    const before = readdirSync(join(at.cwd, '.git'), { recursive: true }).sort();
    await run(at, 'git status');
    expect(readdirSync(join(at.cwd, '.git'), { recursive: true }).sort()).toEqual(before);
  });

  test('git takes none of it for a worktree, and prunes none of it', async () => {
    const at = repository();
    const { text, code } = await run(
      at,
      'git worktree list | wc -l; git worktree prune -v; git gc -q; git fsck; git status --short',
    );
    expect([code, text]).toEqual([0, '1\n']);
  });
});

describe('other object stores', () => {
  test('cannot be named by a command, also where none were named', async () => {
    const at = repository();
    const { text } = await run(
      at,
      'echo /elsewhere/objects > .git/objects/info/alternates; rm -rf .git/objects/info; mv .git/objects .git/o; cat .git/objects/info/alternates',
    );
    expect(text).toContain('Read-only file system');
    expect(existsSync(join(at.cwd, '.git/objects/info/alternates'))).toBe(false);
  });

  test('that the user has named stay', async () => {
    const at = repository();
    const file = join(at.cwd, '.git/objects/info/alternates');
    const other = join(at.userHome, 'other');
    git(at.userHome, 'init', '-q', other);
    writeFileSync(file, `${join(other, '.git/objects')}\n`);
    await run(at, 'echo more >> .git/objects/info/alternates; git status');
    expect(readFileSync(file, 'utf8')).toBe(`${join(other, '.git/objects')}\n`);
  });

  test('a repository without its directory for them gets one that is closed', async () => {
    const at = repository();
    rmSync(join(at.cwd, '.git/objects/info'), { recursive: true, force: true });
    await run(at, 'mkdir -p .git/objects/info; echo /elsewhere > .git/objects/info/alternates');
    expect(existsSync(join(at.cwd, '.git/objects/info/alternates'))).toBe(false);
  });
});
