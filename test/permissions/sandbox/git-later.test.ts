import { describe, expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recoverConfined } from '../../../src/sandbox/guard/recover.ts';
import { craftIndex, rememberTrees } from '../../support/crafted-index.ts';
import { needs } from '../../support/index.ts';
import { begin, git, pretendKilled, put, type Room, room, run } from './support.ts';

const test = needs('bwrap');

function repository(): Room {
  const at = room();
  put(at, { 'a.txt': 'a\n', '.github/workflows/ci.yml': 'ci\n', 'd/f': 'f\n' });
  git(at.cwd, 'init', '-q', '-b', 'main');
  git(at.cwd, 'config', 'user.email', 'a@example.com');
  git(at.cwd, 'config', 'user.name', 'A');
  git(at.cwd, 'add', '-A');
  git(at.cwd, 'commit', '-q', '-m', 'first');
  return at;
}

/** What the user does when the command is over. */
function commit({ cwd }: Room): void {
  writeFileSync(join(cwd, 'mine.txt'), 'mine');
  spawnSync('git', ['add', 'mine.txt'], { cwd });
  spawnSync('git', ['commit', '-q', '-m', 'mine'], { cwd });
}

const id = 'b'.repeat(40);

/** A resolution that git would learn, or repeat, with the next commit. */
function resolving(file: string, before: string, after: string): string {
  const place = `.git/rr-cache/${id}`;
  return [
    `mkdir -p ${place}; cp ${before} ${place}/preimage; cp ${before} ${place}/postimage`,
    `printf '${after}\\n' >> ${place}/postimage; printf '${id}.-1\\t${file}\\0' > .git/MERGE_RR`,
  ].join('; ');
}

function learning(file: string): string {
  return `mkdir -p .git/rr-cache/${id}; : > .git/rr-cache/${id}/preimage; printf '${id}\\t${file}\\0' > .git/MERGE_RR`;
}

const learned = ({ cwd }: Room) => join(cwd, '.git/rr-cache', id, 'postimage');

describe('the next commit of the user', () => {
  test("writes no settings of git's that a command prepared", async () => {
    const at = repository();
    const { notes } = await run(at, resolving('.git/config', '.git/config', '[alias]'));
    commit(at);
    expect(readFileSync(join(at.cwd, '.git/config'), 'utf8')).not.toContain('alias');
    expect(notes.join()).toContain('MERGE_RR');
  });

  test('writes no protected file that a command prepared', async () => {
    const at = repository();
    const file = '.github/workflows/ci.yml';
    await run(at, resolving(file, file, 'evil'));
    commit(at);
    expect(readFileSync(join(at.cwd, file), 'utf8')).toBe('ci\n');
  });

  for (const where of ['../outside', 'absolute'])
    test(`copies no file from outside (${where}) to where commands read`, async () => {
      const at = repository();
      const outside = join(at.cwd, '../outside');
      writeFileSync(outside, 'secret');
      await run(at, learning(where === 'absolute' ? outside : where));
      commit(at);
      expect(existsSync(learned(at))).toBe(false);
    });

  test('follows no link that a later command puts on the way', async () => {
    const at = repository();
    const outside = join(at.cwd, '../outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'f'), 'secret');
    await run(at, learning('d/f'));
    await run(at, `rm -r d; ln -s ${outside} d`);
    commit(at);
    expect(existsSync(learned(at)) && readFileSync(learned(at), 'utf8')).not.toBe('secret');
  });

  test('applies no stash that a command put there', async () => {
    const at = repository();
    const making = [
      'export GIT_INDEX_FILE=.git/other; cp .git/index .git/other; b=$(echo evil | git hash-object -w --stdin)',
      'git update-index --add --cacheinfo 100644,$b,.vscode/tasks.json; t=$(git write-tree)',
      'i=$(git commit-tree -p HEAD -m i HEAD^{tree})',
      'git commit-tree -p HEAD -p $i -m s $t > .git/MERGE_AUTOSTASH; rm .git/other',
    ].join('; ');
    await run(at, making);
    commit(at);
    expect(existsSync(join(at.cwd, '.vscode'))).toBe(false);
  });

  test('brings no content that git status does not show', async () => {
    const at = repository();
    git(
      at.cwd,
      'update-index',
      '--add',
      '--cacheinfo',
      `100644,${git(at.cwd, 'hash-object', '-w', 'a.txt')},.github/evil.yml`,
    );
    const evil = git(at.cwd, 'rev-parse', `${git(at.cwd, 'write-tree')}:.github`);
    git(at.cwd, 'reset', '-q', '--hard');
    const entries = git(at.cwd, 'ls-files', '--stage')
      .split('\n')
      .map((line) => ({ name: line.split('\t')[1] ?? '', id: line.split(' ')[1] ?? '' }));
    const trees = rememberTrees({ name: '', below: [{ name: '.github', id: evil, count: 2 }] });
    writeFileSync(join(at.cwd, 'crafted'), craftIndex(entries, trees));
    const { notes } = await run(at, 'mv crafted .git/index');
    expect(notes.join()).toContain('.git/index');
    git(at.cwd, 'reset', '-q');
    commit(at);
    expect(git(at.cwd, 'show', '--format=', '--name-only', 'HEAD')).toBe('mine.txt');
  });
});

function plantIndex(at: Room, name: string): void {
  const content = git(at.cwd, 'hash-object', '-w', 'a.txt');
  writeFileSync(join(at.cwd, 'crafted'), craftIndex([{ name, id: content }]));
}

describe('git checkout of the user writes no file of which a command put the name in the index', () => {
  for (const name of ['../outside', 'absolute', '.git/hooks/pre-commit'])
    test(name, async () => {
      const at = repository();
      const target = name === 'absolute' ? join(at.userHome, '.bashrc') : join(at.cwd, name);
      plantIndex(at, name === 'absolute' ? target : name);
      const { notes } = await run(at, 'mv crafted .git/index');
      spawnSync('git', ['checkout', '.'], { cwd: at.cwd });
      expect(existsSync(target)).toBe(false);
      expect([notes.join(), at.notices.join()]).toEqual(Array(2).fill(expect.stringContaining('.git/index')));
    });

  test('in a repository inside', async () => {
    const at = repository();
    git(at.cwd, 'init', '-q', 'inner');
    plantIndex(at, '../../outside');
    await run(at, 'mv crafted inner/.git/index; cp -r .git/objects inner/.git');
    spawnSync('git', ['checkout', '.'], { cwd: join(at.cwd, 'inner') });
    expect(existsSync(join(at.cwd, '../outside'))).toBe(false);
  });

  test('in the other part of a split one', async () => {
    const at = repository();
    plantIndex(at, '../outside');
    await run(at, 'mv crafted .git/index; git update-index --split-index');
    spawnSync('git', ['checkout', '.'], { cwd: at.cwd });
    expect(existsSync(join(at.cwd, '../outside'))).toBe(false);
  });

  test('where Cadre was killed', async () => {
    const at = repository();
    plantIndex(at, '../outside');
    const running = await begin(at, 'mv crafted .git/index; touch done; sleep 60');
    while (!existsSync(join(at.cwd, 'done'))) await new Promise((resolve) => setTimeout(resolve, 5));
    pretendKilled(at);
    expect(recoverConfined(at.home).join()).toContain('.git/index');
    expect(existsSync(join(at.cwd, '.git/index'))).toBe(false);
    await running.end();
  });
});

describe('what stays', () => {
  function conflicting(): Room {
    const at = repository();
    git(at.cwd, 'config', 'rerere.enabled', 'true');
    for (const branch of ['side', 'main']) {
      git(at.cwd, 'checkout', '-q', '-B', branch, branch === 'side' ? 'main' : 'main');
      writeFileSync(join(at.cwd, 'a.txt'), `of ${branch}\n`);
      git(at.cwd, 'commit', '-q', '-a', '-m', branch);
      if (branch === 'side') git(at.cwd, 'checkout', '-q', 'main');
    }
    return at;
  }

  test('a conflict of which git learns the resolution', async () => {
    const at = conflicting();
    const { notes } = await run(at, 'git merge side');
    expect(notes.join()).not.toContain('MERGE_RR');
    writeFileSync(join(at.cwd, 'a.txt'), 'resolved\n');
    const done = spawnSync('git', ['commit', '-q', '-a', '-m', 'merged'], { cwd: at.cwd, encoding: 'utf8' });
    expect(done.stderr).toContain("Recorded resolution for 'a.txt'");
  });

  test('a stash of a merge that stopped', async () => {
    const at = conflicting();
    writeFileSync(join(at.cwd, 'd/f'), 'changed\n');
    const { notes } = await run(at, 'git merge --autostash side');
    expect(notes.join()).not.toContain('MERGE_AUTOSTASH');
    git(at.cwd, 'merge', '--abort');
    expect(readFileSync(join(at.cwd, 'd/f'), 'utf8')).toBe('changed\n');
  });

  test('an index that was split before the command', async () => {
    const at = repository();
    git(at.cwd, 'config', 'core.splitIndex', 'true');
    git(at.cwd, 'update-index', '--split-index');
    const { notes } = await run(at, 'echo b >> a.txt; git add a.txt; git commit -qm second');
    expect(notes).toEqual([]);
  });

  test('an index that came like this, and that no command changed', async () => {
    const at = repository();
    plantIndex(at, '../outside');
    rmSync(join(at.cwd, '.git/index'));
    spawnSync('mv', ['crafted', '.git/index'], { cwd: at.cwd });
    const { notes } = await run(at, 'echo b >> a.txt');
    expect(notes).toEqual([]);
  });
});
