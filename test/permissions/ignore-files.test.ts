import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

/** A repository `top/w`, with a file outside of it; lines run in `start`, which is the workspace. */
function openGround(start = 'w') {
  const top = resolveRealPath(temporaryDirectory().path);
  const at = (path: string) => join(top, path);
  const put = (path: string, text = 'hi\n') => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  put('out/private.conf', 'password=s3cr3t[tail\n');
  put('home/.cadre/keys.json', '{}\n');
  put('w/src/a.ts');
  execFileSync('git', ['init', '-q', at('w')]);
  const userHome = at('home');
  const root = at(start);
  const on = (command: string, more: Partial<Case> = {}) => {
    const look = lookAtFiles([root], undefined, { PATH: process.env.PATH, HOME: userHome });
    const workspace = { cwd: root, directories: [], realPath: resolveRealPath, look, userHome };
    return judge({
      accesses: [{ kind: 'shell', command, cwd: root }],
      ...more,
      workspace: { ...workspace, home: join(userHome, '.cadre'), ...more.workspace },
    }).behaviour;
  };
  return { at, put, on };
}

const searches = [
  ...['rg hi', 'rg hi src', 'rg hi src/a.ts', 'cd src && rg hi', 'rg --debug hi src', 'rg --files src'],
  ...['fd a src', 'fdfind a src', 'find src -name "*.ts" | xargs rg hi', 'rg hi src/*', 'tree --gitignore'],
];
const explore = { role: exploreRole };
const behaviours = (on: (line: string, more: Partial<Case>) => string, more: Partial<Case> = {}) =>
  Object.fromEntries(searches.map((line) => [line, on(line, more)]));
const all = (behaviour: string) => Object.fromEntries(searches.map((line) => [line, behaviour]));

describe('files that a search opens by itself to learn what it skips', () => {
  for (const name of ['.ignore', '.rgignore', '.fdignore', '.gitignore', '.git/info/exclude'])
    test(`${name} above the searched directory must not lead out of the workspace`, () => {
      const { at, on } = openGround();
      execFileSync('ln', ['-sf', at('out/private.conf'), at(`w/${name}`)]);
      expect(behaviours(on)).toEqual(all('ask'));
    });

  test('nor above the workspace, in the repository around it or elsewhere', () => {
    for (const place of ['w', '.']) {
      const { at, on } = openGround('w/src');
      symlinkSync(at('out/private.conf'), at(`${place}/.ignore`));
      for (const line of ['rg hi', 'rg hi a.ts', 'fd a'])
        expect([place, line, on(line)]).toEqual([place, line, 'ask']);
    }
  });

  test('nor by the directory that a file called .git names', () => {
    for (const names of [(at: string) => at, () => 'gd', () => '../gd']) {
      const { at, put, on } = openGround();
      put('w/n/a');
      put('w/n/.git', `gitdir: ${names(at('w/gd'))}\n`);
      put('w/gd/commondir', '../store\n');
      mkdirSync(at('w/store/info'), { recursive: true });
      symlinkSync(at('out/private.conf'), at('w/store/info/exclude'));
      for (const line of ['rg hi', 'rg hi n', 'rg --files', 'fd a'])
        expect([line, on(line)]).toEqual([line, 'ask']);
    }
  });

  test('nor by a directory of git that is a link, or has one', () => {
    const { at, put, on } = openGround();
    put('out/info/exclude');
    mkdirSync(at('w/n/.git'), { recursive: true });
    symlinkSync(at('out/info'), at('w/n/.git/info'));
    expect([on('rg hi'), on('rg hi n'), on('rg hi src')]).toEqual(['ask', 'ask', 'allow']);
  });

  test("nor by a relative name in the user's configuration of git", () => {
    const { at, put, on } = openGround();
    put('home/.gitconfig', '[core]\n\texcludesFile = .skipped\n');
    expect(on('rg hi src')).toBe('allow');
    symlinkSync(at('out/private.conf'), at('w/.skipped'));
    expect([on('rg hi src'), on('rg hi')]).toEqual(['ask', 'ask']);
  });

  test('they do not show a file that a rule refuses, or that holds credentials', () => {
    for (const give of [symlinkSync, linkSync]) {
      const { at, put, on } = openGround();
      put('w/.env', 'KEY=aaa[bbb\n');
      give(at('w/.env'), at('w/.ignore'));
      const denied = { deny: ['Read(.env)'] };
      for (const more of [{}, { mode: 'bypassPermissions' as const }, { allow: ['Bash(rg:*)', 'Bash'] }])
        expect(searches.filter((line) => on(line, { ...denied, ...more }) === 'allow')).toEqual([]);
      expect(on('rg hi src', denied)).toBe('deny');
      expect(behaviours(on, explore)).toEqual(all('deny'));
    }
  });

  test('nor our own keys, in any mode', () => {
    const { at, on } = openGround();
    symlinkSync(at('home/.cadre/keys.json'), at('w/.ignore'));
    expect(behaviours(on, { mode: 'bypassPermissions' })).toEqual(all('deny'));
    expect(behaviours(on, { allow: ['Bash'] })).toEqual(all('deny'));
  });

  test('nor with options that are not known, or by other programs of the kind', () => {
    const { at, on } = openGround();
    symlinkSync(at('home/.cadre/keys.json'), at('w/.ignore'));
    const lines = [
      'rg -L hi src',
      'rg --pre cat hi src',
      'fd -x cat',
      'ag hi src',
      'ugrep --ignore-files hi src',
    ];
    for (const line of lines) expect([line, on(line, { mode: 'bypassPermissions' })]).toEqual([line, 'deny']);
  });

  test('a link that the line itself moves there is not one of them unseen', () => {
    const { at, put, on } = openGround();
    symlinkSync(at('out/private.conf'), at('w/link'));
    put('w/.env');
    const lines = [
      'mv link .ignore && rg hi src',
      'cp -P link .ignore; rg hi src',
      'cp -a link .ignore; rg hi src',
      'mv link src/.ignore; rg hi',
    ];
    for (const more of [{ mode: 'acceptEdits' as const }, { allow: ['Bash(mv:*)', 'Bash(cp:*)'] }])
      for (const line of lines) expect([line, on(line, more)]).toEqual([line, 'ask']);
    expect(on('mv .env .ignore && rg hi src', { mode: 'acceptEdits', deny: ['Read(.env)'] })).not.toBe(
      'allow',
    );
  });

  test('one that cannot be looked for may be there', () => {
    const { at, on } = openGround();
    mkdirSync(at('w/aa'));
    execFileSync('bash', ['-c', `cd aa && seq 1 35000 | xargs touch`], { cwd: at('w') });
    expect([on('rg hi'), on('rg hi', explore), on('rg hi src')]).toEqual(['allow', 'deny', 'allow']);
    mkdirSync(at('w/zz'));
    symlinkSync(at('out/private.conf'), at('w/zz/.ignore'));
    expect([on('rg hi'), on('rg hi aa'), on('rg hi src')]).toEqual(['ask', 'allow', 'allow']);
  });

  test('a link that a part of the line brings may be one of them', () => {
    const { on } = openGround();
    const allow = { allow: ['Bash(git checkout:*)'] };
    expect([on('git checkout other && rg hi', allow), on('git checkout other', allow)]).toEqual([
      'ask',
      'allow',
    ]);
  });

  test('ordinary ones change nothing, in a repository, a part of one, a worktree or a submodule', () => {
    for (const start of ['w', 'w/src']) {
      const { at, put, on } = openGround(start);
      put('w/.gitignore', 'node_modules\n*.log\n');
      put('w/.ignore', 'dist\n');
      put('.gitignore', '*\n!w\n');
      put('w/src/sub/.gitignore', 'out\n');
      put('w/src/sub/.git', `gitdir: ${at('w/.git/modules/sub')}\n`);
      put('w/.git/modules/sub/info/exclude', '*.tmp\n');
      put('w/src/tree/.git', `gitdir: ${at('w/.git/worktrees/tree')}\n`);
      put('w/.git/worktrees/tree/commondir', '../..\n');
      symlinkSync('.gitignore', at('w/.rgignore'));
      const lines = [
        'rg hi',
        'rg hi .',
        "rg -n hi -g '*.ts'",
        'rg --files',
        'fd a',
        'tree --gitignore',
        'echo hi | rg hi',
      ];
      for (const more of [{}, explore, { deny: ['Read(.env)'] }])
        for (const line of lines) expect([line, on(line, more)]).toEqual([line, 'allow']);
    }
  });

  test("a link in the user's own home is the user's own", () => {
    const { at, put, on } = openGround('home/work/w');
    put('home/dotfiles/ignore', '*.swp\n');
    put('home/work/w/src/a.ts');
    symlinkSync(at('home/dotfiles/ignore'), at('home/.gitignore'));
    expect([on('rg hi'), on('rg hi src', explore)]).toEqual(['allow', 'allow']);
    expect(on('rg hi', { deny: [`Read(/${at('home/dotfiles')}/**)`] })).toBe('deny');
  });
});
