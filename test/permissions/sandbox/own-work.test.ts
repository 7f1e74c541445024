import { describe, expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { recoverConfined } from '../../../src/sandbox/guard/recover.ts';
import { needs } from '../../support/index.ts';
import { begin, held, put, type Room, room, run } from './support.ts';

const test = needs('bwrap');

/** As the harness makes one: git's own file in it, and work of an agent. */
function makeWorktree({ cwd }: Room): string {
  const path = join(cwd, '.cadre/worktrees/one');
  mkdirSync(join(cwd, '.cadre/worktrees'), { recursive: true });
  execFileSync('git', ['worktree', 'add', '-q', '-b', 'cadre/one/work', path], { cwd, stdio: 'ignore' });
  writeFileSync(join(path, 'work.txt'), 'work of an agent');
  return path;
}

function repository(): Room {
  const at = room();
  put(at, { 'a.txt': 'a' });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd: at.cwd });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  return at;
}

describe('while a background command runs', () => {
  for (const isThere of [false, true])
    test(`a worktree is made and stays, where .cadre was ${isThere ? '' : 'not '}there before`, async () => {
      const at = repository();
      if (isThere) put(at, { '.cadre/settings.json': '{}' });
      const command = await begin(at, 'tail -f /dev/null');
      const path = makeWorktree(at);
      expect(command.offends()).toBe(false);
      expect(await command.end()).toEqual([]);
      expect([readFileSync(join(path, 'work.txt'), 'utf8'), existsSync(join(path, '.git'))]).toEqual([
        'work of an agent',
        true,
      ]);
      expect(held(at)).toEqual([]);
    });

  test('the first worktree, with copies of what a rule hides, is made beside it and closed to it', async () => {
    const at = repository();
    const look = 'until [ -e go ]; do cat .cadre/worktrees/*/a.txt; sleep 0.02; done 2>/dev/null; echo done';
    const rule = { behaviour: 'deny', tool: 'Read', specifier: 'a.txt', base: '/' } as const;
    const command = await begin(at, look, { rules: [{ ...rule, layer: 'project', source: 'x.json' }] });
    const path = makeWorktree(at);
    put(at, { go: '' });
    await command.ended;
    expect(command.text()).toBe('started\ndone\n');
    expect(await command.end()).toEqual([]);
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('a');
  });

  const earlier: Record<string, (git: (...args: string[]) => void) => () => void> = {
    'a repository without others': () => () => {},
    'a sparse checkout': (git) => {
      git('sparse-checkout', 'set', 'q');
      return () => {};
    },
    'a repository whose last other one goes meanwhile': (git) => {
      git('worktree', 'add', '-q', '../other');
      return () => git('worktree', 'remove', '../other');
    },
  };
  for (const [where, prepare] of Object.entries(earlier))
    test(`an agent commits in a new worktree of ${where}, and git keeps its data`, async () => {
      const at = repository();
      const meanwhile = prepare((...args) => execFileSync('git', args, { cwd: at.cwd, stdio: 'ignore' }));
      const command = await begin(at, 'touch q; tail -f /dev/null');
      meanwhile();
      const path = makeWorktree(at);
      expect(command.offends()).toBe(false);
      const inside = { in: path, scope: { directories: [path] } };
      const name = 'git -c user.name=A -c user.email=a@example.com';
      const first = await run(at, `git add --sparse work.txt; ${name} commit -qm z`, inside);
      const second = await run(at, 'git log --format=%s', inside);
      expect([first.code, first.notes, second.text]).toEqual([0, [], 'z\nfirst\n']);
      expect(command.offends()).toBe(false);
      await command.end();
      expect([(await run(at, 'git log --format=%s', inside)).text, held(at)]).toEqual(['z\nfirst\n', []]);
    });

  test('a rule is saved and stays', async () => {
    const at = repository();
    const command = await begin(at, 'tail -f /dev/null');
    put(at, { '.cadre/settings.local.json': '{}' });
    expect([command.offends(), await command.end()]).toEqual([false, []]);
    expect(existsSync(join(at.cwd, '.cadre/settings.local.json'))).toBe(true);
  });

  test('files of a directory that it finds read-only are edited and stay', async () => {
    const at = repository();
    put(at, { '.vscode/tasks.json': '{}' });
    const command = await begin(at, 'tail -f /dev/null');
    put(at, { '.vscode/settings.json': '{}', '.vscode/tasks.json': '{ }' });
    expect([command.offends(), await command.end()]).toEqual([false, []]);
    expect(readdirSync(join(at.cwd, '.vscode')).sort()).toEqual(['settings.json', 'tasks.json']);
  });

  test('a directory that was replaced is open to it, and the result names it', async () => {
    const at = repository();
    put(at, { '.vscode/tasks.json': '{}' });
    const command = await begin(
      at,
      'until mkdir .vscode 2>/dev/null; do :; done; echo evil > .vscode/tasks.json; echo > made; tail -f /dev/null',
    );
    rmSync(join(at.cwd, '.vscode'), { recursive: true });
    while (!existsSync(join(at.cwd, 'made'))) await new Promise((resolve) => setImmediate(resolve));
    expect((await command.end()).join()).toContain('Another process replaced these while the command ran');
  });

  test('and Cadre is killed, a worktree that it made meanwhile stays', async () => {
    const at = repository();
    const command = await begin(at, 'tail -f /dev/null');
    const path = makeWorktree(at);
    const folder = join(at.home, 'confined');
    const [name = ''] = readdirSync(folder);
    const journal = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    writeFileSync(
      join(folder, 'dead.json'),
      JSON.stringify({ ...journal, owner: { pid: 2 ** 22 + 1, start: '0' } }),
    );
    renameSync(join(folder, name), join(at.home, 'aside'));
    expect(recoverConfined(at.home)).toEqual([]);
    expect(readFileSync(join(path, 'work.txt'), 'utf8')).toBe('work of an agent');
    await command.end();
  });
});

test('an edit of the user beyond what is mounted is put back, and the notice says where it is and claims no more', async () => {
  const at = room();
  for (let index = 10; index < 45; index++) put(at, { [`p${index}/.vscode/s.json`]: 'before' });
  const command = await begin(at, 'sleep 600');
  const paths = Array.from({ length: 35 }, (_, index) => join(at.cwd, `p${index + 10}/.vscode/s.json`));
  for (const path of paths) writeFileSync(path, 'mine');
  const [said = '', ...more] = await command.end();
  expect(more).toEqual([]);
  expect(said).toContain('changed while the command ran, by it or by another process');
  const [, place = ''] = /changed versions moved to (\S+?):/.exec(said) ?? [];
  expect(at.notices).toEqual([expect.stringContaining(place)]);
  expect(at.notices[0]).toContain('where.json there lists the original paths');
  const where = JSON.parse(readFileSync(join(place, 'where.json'), 'utf8')) as Record<string, string>;
  const reverted = paths.filter((path) => readFileSync(path, 'utf8') === 'before');
  expect(Object.values(where).toSorted()).toEqual(reverted.toSorted());
  expect(reverted.length).toBe(5);
  for (const name of Object.keys(where)) expect(readFileSync(join(place, name), 'utf8')).toBe('mine');
});

describe('a home in the workspace', () => {
  /** The directory above the user's home is where commands work. */
  function above(): Room {
    const at = room();
    return { ...at, cwd: dirname(at.userHome) };
  }

  test('what the harness writes there is not taken for work of a command', async () => {
    const at = above();
    const command = await begin(at, 'tail -f /dev/null');
    mkdirSync(join(at.home, 'projects', '.vscode'), { recursive: true });
    writeFileSync(join(at.home, 'projects', '.vscode', 'tasks.json'), '{}');
    expect([command.offends(), await command.end()]).toEqual([false, []]);
    expect([existsSync(join(at.home, 'projects', '.vscode', 'tasks.json')), held(at)]).toEqual([true, []]);
  });

  test('a command finds it closed, and others of that name are still protected', async () => {
    const at = above();
    writeFileSync(join(at.home, 'keys.json'), 'key of mine');
    const { text, notes } = await run(
      at,
      'cat user/.cadre/keys.json; echo x > user/.cadre/planted; mkdir -p other/.cadre; echo x > other/.cadre/settings.json',
    );
    expect(text).not.toContain('key of mine');
    expect([existsSync(join(at.home, 'planted')), existsSync(join(at.cwd, 'other/.cadre'))]).toEqual([
      false,
      false,
    ]);
    expect(notes.join()).toContain('other/.cadre');
  });

  test('nor after a kill', async () => {
    const at = above();
    const command = await begin(at, 'tail -f /dev/null');
    const [journal = ''] = readdirSync(join(at.home, 'confined'));
    const text = readFileSync(join(at.home, 'confined', journal), 'utf8');
    await command.end();
    // As that of a process which no longer runs.
    writeFileSync(join(at.home, 'confined', journal), text.replace(/"pid":\d+/, '"pid":999999999'));
    writeFileSync(join(at.home, 'new'), '');
    expect([recoverConfined(at.home), existsSync(join(at.home, 'new'))]).toEqual([[], true]);
  });
});
