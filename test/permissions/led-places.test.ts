import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openRunsLater } from '../../src/places/find-runs-later.ts';
import { GitScopes } from '../../src/places/git-scopes.ts';
import { FollowLinks } from '../../src/places/led-places.ts';
import { ProtectedTargets } from '../../src/places/protected-targets.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { judge, shell, write } from './cases.ts';

function ground() {
  const top = resolveRealPath(temporaryDirectory().path);
  const [cwd, userHome] = [join(top, 'work'), join(top, 'user')];
  for (const path of [cwd, userHome]) mkdirSync(path);
  const put = (name: string, text = '') => {
    const path = join(top, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const link = (name: string, target: string) => {
    mkdirSync(dirname(join(top, name)), { recursive: true });
    symlinkSync(target, join(top, name));
  };
  const environment = { HOME: userHome, GIT_CONFIG_SYSTEM: '/dev/null' };
  const home = join(userHome, '.cadre');
  const workspace = {
    ...{ cwd, directories: [], home, userHome, realPath: resolveRealPath },
    runsLater: openRunsLater({ userHome, environment, home }),
  };
  const decide = (access: ReturnType<typeof write>) =>
    judge({ accesses: [access], mode: 'acceptEdits', workspace });
  const verdict = (name: string) => decide(write(join(cwd, name))).behaviour;
  const command = (text: string) =>
    judge({ accesses: [{ ...shell(text), cwd } as never], mode: 'acceptEdits', workspace }).behaviour;
  return { ...{ top, cwd, userHome, home, environment, put, link, verdict, command }, decide };
}

describe('a file tool asks about a file that something protected leads to', () => {
  test.each([
    ['work/.vscode/tasks.json', '../editor/tasks.json', 'editor/tasks.json'],
    ['work/.husky/pre-commit', '../scripts/hook.sh', 'scripts/hook.sh'],
    ['work/.github/workflows/a.yml', '../../ci/a.yml', 'ci/a.yml'],
    ['work/.claude/settings.json', '../settings/claude.json', 'settings/claude.json'],
    ['work/packages/one/.vscode/tasks.json', '../../../editor/one.json', 'editor/one.json'],
    ['work/.zed', 'editor/zed', 'editor/zed/tasks.json'],
    ['work/.vscode/tasks.json', '../missing/tasks.json', 'missing/tasks.json'],
    ['user/.cadre/settings.json', '../../work/cadre/settings.json', 'cadre/settings.json'],
    ['user/.gitconfig', '../work/gitconfig', 'gitconfig'],
    ['user/.bashrc', '../work/bashrc', 'bashrc'],
    ['user/.config/fish', '../../work/fish', 'fish/config.fish'],
  ])('%s leads to %s', (name, target, file) => {
    const { put, link, verdict, decide, cwd, top } = ground();
    if (!file.startsWith('missing')) put(join('work', file));
    put('work/ordinary');
    link(name, target);
    expect([verdict(file), verdict('ordinary')]).toEqual(['ask', 'allow']);
    expect(decide(write(join(cwd, file))).reason).toContain(join(top, name));
    expect(verdict(dirname(file)) === 'ask').toBe(dirname(file) !== '.');
  });

  test('a hook of a repository, and one that its configuration names', () => {
    const { cwd, put, link, verdict, command } = ground();
    execFileSync('git', ['init', '-q'], { cwd });
    execFileSync('git', ['config', 'core.hooksPath', 'tools/hooks'], { cwd });
    for (const name of ['a', 'b', 'c']) put(`work/scripts/${name}.sh`);
    link('work/.git/hooks/pre-commit', '../../scripts/a.sh');
    link('work/tools/hooks/pre-commit', '../../scripts/b.sh');
    expect(['a', 'b', 'c'].map((name) => verdict(`scripts/${name}.sh`))).toEqual(['ask', 'ask', 'allow']);
    expect(['a', 'b', 'c'].map((name) => command(`touch scripts/${name}.sh`))).toEqual([
      'ask',
      'ask',
      'allow',
    ]);
  });

  test('a link on the way, which could be replaced by another', () => {
    const { put, link, verdict } = ground();
    put('work/real/tasks.json');
    link('work/editor', 'real');
    link('work/.vscode/tasks.json', '../editor/tasks.json');
    expect([verdict('real/tasks.json'), verdict('editor'), verdict('real/other')]).toEqual([
      'ask',
      'ask',
      'allow',
    ]);
  });

  test('not for a link to the workspace as a whole, nor for programs of the user', () => {
    const { put, link, verdict } = ground();
    put('work/file');
    put('work/program');
    link('work/.idea/all', '..');
    link('user/.local/bin/program', '../../../work/program');
    expect([verdict('file'), verdict('program')]).toEqual(['allow', 'allow']);
  });
});

test('who works in a protected directory of the home is not asked about links in it', () => {
  const { userHome, environment, home, put, link } = ground();
  put('user/.config/nvim/lua/a.lua');
  link('user/.config/nvim/init.lua', 'lua/a.lua');
  const cwd = join(userHome, '.config/nvim');
  const workspace = {
    ...{ cwd, directories: [], home, userHome, realPath: resolveRealPath },
    runsLater: openRunsLater({ userHome, environment, home }),
  };
  const accesses = [write(join(cwd, 'lua/a.lua'))];
  expect(judge({ accesses, mode: 'acceptEdits', workspace }).behaviour).toBe('allow');
});

describe('following links', () => {
  test('a directory is read again when a link appears in it', () => {
    const { top, put, link } = ground();
    put('work/.vscode/a');
    put('work/b');
    const place = join(top, 'work/.vscode');
    const links = new FollowLinks();
    expect(links.from([place])).toEqual([]);
    link('work/.vscode/b', '../b');
    expect(links.from([place]).map(({ path }) => path)).toEqual([join(top, 'work/b')]);
    rmSync(join(place, 'b'));
    utimesSync(place, 0, 0);
    expect(links.from([place])).toEqual([]);
  });

  test('a loop ends, and a tree with very many directories is looked at from its top', () => {
    const { top, put, link } = ground();
    link('work/.vscode/a', 'b');
    link('work/.vscode/b', 'a');
    link('work/.vscode/up', '..');
    for (let index = 0; index < 300; index++) put(`work/.vscode/deep/${index}/x/y`);
    link('work/.vscode/deep/top', '../../found');
    const found = new FollowLinks().from([join(top, 'work/.vscode')]);
    expect(found.map(({ path }) => path)).toEqual([join(top, 'work/found')]);
  });

  test('what was found serves the paths of one line, and not for longer than a second', () => {
    const { top, cwd, userHome, home, environment, put, link } = ground();
    let now = 0;
    const targets = new ProtectedTargets(new GitScopes({ userHome, environment }), home, () => now);
    const isLed = () => targets.find([cwd]).some(({ path }) => path === join(top, 'work/b'));
    put('work/b');
    expect(isLed()).toBe(false);
    link('work/.vscode/b', '../b');
    expect(isLed()).toBe(false);
    now = 1000;
    expect(isLed()).toBe(true);
  });
});
