import { describe, expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recoverConfined } from '../../../src/sandbox/guard/recover.ts';
import { needs } from '../../support/index.ts';
import { begin, git, pretendKilled, type Room, room, run } from './support.ts';

const test = needs('bwrap');

/** Two branches that conflict, on `side`. */
function repository(cwd: string): void {
  mkdirSync(cwd, { recursive: true });
  git(cwd, 'init', '-q', '-b', 'main');
  git(cwd, 'config', 'user.email', 'a@example.com');
  git(cwd, 'config', 'user.name', 'A');
  const commit = (text: string, name = 'a.txt') => {
    writeFileSync(join(cwd, name), text);
    git(cwd, 'add', name);
    git(cwd, 'commit', '-q', '-m', text);
  };
  commit('first');
  git(cwd, 'checkout', '-q', '-b', 'side');
  commit('of side');
  commit('more', 'more.txt');
  git(cwd, 'checkout', '-q', 'main');
  commit('of main');
  git(cwd, 'checkout', '-q', 'side');
}

function tryGit(cwd: string, ...args: string[]): void {
  spawnSync('git', args, { cwd, env: { ...process.env, GIT_EDITOR: 'true' }, stdio: 'ignore' });
}

/** What the user does when the command is over. */
function goOn(cwd: string, what = 'rebase'): void {
  writeFileSync(join(cwd, 'a.txt'), 'resolved');
  tryGit(cwd, 'add', 'a.txt');
  tryGit(cwd, what, '--continue');
}

function mark({ userHome }: Room): string {
  return join(userHome, 'RAN');
}

const wholeRebase = (directory: string, at: Room) =>
  [
    `d=${directory}/rebase-merge; mkdir -p $d; h=$(git rev-parse HEAD)`,
    'echo refs/heads/side > $d/head-name; echo $h > $d/onto; echo $h > $d/orig-head',
    'echo 1 > $d/end; echo 1 > $d/msgnum; : > $d/interactive; : > $d/done',
    `echo "exec touch ${mark(at)}" > $d/git-rebase-todo; cp $d/git-rebase-todo $d/git-rebase-todo.backup`,
  ].join('; ');

describe("a line that runs a program in git's lists of what it does next", () => {
  for (const line of ['exec touch', 'x touch', ' \tx\ttouch'])
    test(`"${line}" in the middle of a rebase of the user`, async () => {
      const at = room();
      repository(at.cwd);
      tryGit(at.cwd, 'rebase', 'main');
      const todo = join(at.cwd, '.git/rebase-merge/git-rebase-todo');
      const before = readFileSync(todo, 'utf8');
      const { notes } = await run(at, `printf '%s\\n' '${line} ${mark(at)}' >> ${todo}`);
      expect(notes.join()).toContain(todo);
      expect(at.notices.join()).toContain(todo);
      expect(readFileSync(todo, 'utf8')).toBe(before);
      goOn(at.cwd);
      expect(existsSync(mark(at))).toBe(false);
      expect(git(at.cwd, 'log', '--format=%s')).toStartWith('more\n');
    });

  test('a whole rebase where none is under way', async () => {
    const at = room();
    repository(at.cwd);
    const { notes } = await run(at, wholeRebase('.git', at));
    expect(notes.join()).toContain('git-rebase-todo');
    tryGit(at.cwd, 'rebase', '--continue');
    expect(existsSync(mark(at))).toBe(false);
  });

  test('in the main checkout, from a worktree', async () => {
    const at = room();
    const main = join(at.userHome, 'main');
    repository(main);
    git(main, 'worktree', 'add', '-q', at.cwd, 'main');
    await run(at, wholeRebase(join(main, '.git'), at));
    await run(at, wholeRebase(join(main, '.git/worktrees/work'), at));
    for (const cwd of [main, at.cwd]) tryGit(cwd, 'rebase', '--continue');
    expect(existsSync(mark(at))).toBe(false);
  });

  test('in a worktree that the command makes', async () => {
    const at = room();
    repository(at.cwd);
    await run(at, `git worktree add -q wt main; ${wholeRebase('.git/worktrees/wt', at)}`);
    tryGit(join(at.cwd, 'wt'), 'rebase', '--continue');
    expect(existsSync(mark(at))).toBe(false);
  });

  test('in the git directory of a submodule', async () => {
    const at = room();
    const library = join(at.userHome, 'library');
    repository(library);
    repository(at.cwd);
    git(at.cwd, 'submodule', 'add', '-q', library, 'deep/sub');
    await run(at, wholeRebase('.git/modules/deep/sub', at));
    tryGit(join(at.cwd, 'deep/sub'), 'rebase', '--continue');
    expect(existsSync(mark(at))).toBe(false);
  });

  test('in a repository of which there are more than are mounted', async () => {
    const at = room();
    repository(at.cwd);
    for (let count = 0; count < 34; count++) git(at.cwd, 'clone', '-q', '.', `x/y/clone${count}`);
    await run(
      at,
      `for c in x/y/*; do cd $c; ${wholeRebase('.git', at)}; case $c in *[13579]) mv .git/rebase-merge m; ln -s ../m .git/rebase-merge;; esac; cd ../../..; done`,
    );
    for (let count = 0; count < 34; count++)
      tryGit(join(at.cwd, `x/y/clone${count}`), 'rebase', '--continue');
    expect(existsSync(mark(at))).toBe(false);
  }, 60_000);

  test('a strategy that is a program of the work tree', async () => {
    const at = room();
    repository(at.cwd);
    tryGit(at.cwd, 'rebase', 'main');
    const plant = `mkdir git-merge-x; printf '#!/bin/sh\\ntouch ${mark(at)}\\n' > git-merge-x/y; chmod +x git-merge-x/y`;
    const { notes } = await run(at, `${plant}; echo x/y > .git/rebase-merge/strategy`);
    expect(notes.join()).toContain('rebase-merge/strategy');
    goOn(at.cwd);
    expect(existsSync(mark(at))).toBe(false);
    expect(existsSync(join(at.cwd, '.git/rebase-merge'))).toBe(false);
  });

  test('the same for a cherry-pick', async () => {
    const at = room();
    repository(at.cwd);
    git(at.cwd, 'checkout', '-q', 'main');
    tryGit(at.cwd, 'cherry-pick', 'main..side');
    const plant = `mkdir git-merge-x; printf '#!/bin/sh\\ntouch ${mark(at)}\\n' > git-merge-x/y; chmod +x git-merge-x/y`;
    await run(
      at,
      `${plant}; printf '[options] strategy = x/y\\n' > .git/sequencer/opts; echo 'exec touch ${mark(at)}' >> .git/sequencer/todo`,
    );
    expect(readFileSync(join(at.cwd, '.git/sequencer/todo'), 'utf8')).not.toContain('exec');
    goOn(at.cwd, 'cherry-pick');
    expect(existsSync(mark(at))).toBe(false);
    expect(git(at.cwd, 'log', '--format=%s')).toStartWith('more\n');
  });

  test('an option that lets a patch leave the work tree', async () => {
    const at = room();
    repository(at.cwd);
    const options = join(at.cwd, '.git/rebase-apply/apply-opt');
    await run(at, `mkdir .git/rebase-apply; echo "'--unsafe-paths'" > ${options}`);
    expect(existsSync(options)).toBe(false);
  });

  test('after a command whose process was killed', async () => {
    const at = room();
    repository(at.cwd);
    const todo = join(at.cwd, '.git/rebase-merge/git-rebase-todo');
    const running = await begin(at, `${wholeRebase('.git', at)}; touch done; sleep 60`);
    while (!existsSync(join(at.cwd, 'done'))) await new Promise((resolve) => setTimeout(resolve, 5));
    pretendKilled(at);
    expect(recoverConfined(at.home).join()).toContain(todo);
    expect(readFileSync(todo, 'utf8')).not.toContain('exec');
    await running.end();
  });
});

describe('what stays', () => {
  test('lines of the user, while a command goes on with the rebase', async () => {
    const at = room();
    repository(at.cwd);
    tryGit(at.cwd, 'rebase', '-x', 'echo checked >> ../checked', 'main');
    const todo = join(at.cwd, '.git/rebase-merge/git-rebase-todo');
    appendFileSync(todo, 'exec false\nexec touch ../later\n');
    const { notes, text } = await run(
      at,
      'echo resolved > a.txt; git add a.txt; GIT_EDITOR=true git rebase --continue',
    );
    expect([text, notes.join()]).toEqual([expect.any(String), expect.not.stringContaining('rebase-merge')]);
    expect(readFileSync(todo, 'utf8')).toContain('exec');
  });

  test('a rebase inside, from its start over a conflict to its end', async () => {
    const at = room();
    repository(at.cwd);
    const first = await run(at, 'git rebase main');
    expect([first.code, first.notes.join()]).toEqual([1, expect.not.stringContaining('rebase-merge')]);
    const last = await run(at, 'echo r > a.txt; git add a.txt; GIT_EDITOR=true git rebase --continue');
    expect([last.code, last.notes]).toEqual([0, []]);
    expect(git(at.cwd, 'log', '--format=%s')).toStartWith('more\n');
  });

  for (const what of ['cherry-pick -X theirs --signoff main~1..main', 'revert --no-edit HEAD HEAD~1'])
    test(`git ${what} that stops`, async () => {
      const at = room();
      repository(at.cwd);
      const { notes } = await run(at, `git ${what}`);
      expect(notes.join()).not.toContain('sequencer');
    });

  test('a rebase with programs that stops inside goes on without them', async () => {
    const at = room();
    repository(at.cwd);
    const { notes } = await run(at, 'git rebase -x true main');
    expect(notes.join()).toContain('git-rebase-todo');
    const last = await run(at, 'echo r > a.txt; git add a.txt; GIT_EDITOR=true git rebase --continue');
    expect(last.code).toBe(0);
  });

  const outOfReach: Record<string, (at: Room) => { place: string; cwd: string; todo: string }> = {
    'in another worktree of yours': ({ cwd, userHome }) => {
      const place = join(userHome, 'other');
      repository(cwd);
      git(cwd, 'checkout', '-q', 'main');
      git(cwd, 'worktree', 'add', '-q', place, 'side');
      return { place, cwd, todo: join(cwd, '.git/worktrees/other/rebase-merge/git-rebase-todo') };
    },
    'in a worktree beside the one that the command is in': ({ cwd, userHome }) => {
      const [main, place] = [join(userHome, 'main'), join(userHome, 'other')];
      repository(main);
      git(main, 'worktree', 'add', '-q', cwd, 'main');
      git(main, 'checkout', '-q', '--detach');
      git(main, 'worktree', 'add', '-q', place, 'side');
      return { place, cwd, todo: join(main, '.git/worktrees/other/rebase-merge/git-rebase-todo') };
    },
    'in the main checkout, while an agent works in its own worktree': ({ cwd }) => {
      repository(cwd);
      const own = join(cwd, '.cadre/worktrees/one');
      git(cwd, 'worktree', 'add', '-q', '-b', 'cadre/one/work', own, 'main');
      return { place: cwd, cwd: own, todo: join(cwd, '.git/rebase-merge/git-rebase-todo') };
    },
  };
  for (const [where, prepare] of Object.entries(outOfReach))
    for (const isKilled of [false, true])
      test(`programs of a rebase that you begin ${where}${isKilled ? ', where Cadre is killed' : ''}`, async () => {
        const at = room();
        const { place, cwd, todo } = prepare(at);
        const command = await begin({ ...at, cwd }, `echo 'exec x' >> ${todo}; tail -f /dev/null`);
        tryGit(place, 'rebase', '-x', 'true', 'main');
        const before = readFileSync(todo, 'utf8');
        expect(before).toContain('exec true');
        if (isKilled) {
          pretendKilled(at);
          expect(recoverConfined(at.home)).toEqual([]);
        }
        const notes = await command.end();
        if (!isKilled) expect([notes, at.notices]).toEqual([[], []]);
        expect(readFileSync(todo, 'utf8')).toBe(before);
      });

  test('not those of a rebase that you begin where the command can write: it may be its work', async () => {
    const at = room();
    repository(at.cwd);
    const command = await begin(at, 'tail -f /dev/null');
    tryGit(at.cwd, 'rebase', '-x', 'true', 'main');
    expect((await command.end()).join()).toContain('git-rebase-todo');
  });
});
