import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openRunsLater } from '../../src/places/find-runs-later.ts';
import { protectedName } from '../../src/places/protected-names.ts';
import { runsLater } from '../../src/places/runs-later.data.ts';
import { parseGitConfig } from '../../src/workspace/git/parse-config.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { judge, write } from './cases.ts';

const verdict = (path: string) => {
  const { behaviour, by } = judge({ accesses: [write(path)], mode: 'acceptEdits' });
  return behaviour === 'allow' ? 'allow' : `${behaviour} ${by}`;
};

describe('names that run later', () => {
  const names = [
    ...['.hg/hgrc', '.jj/repo/config.toml', '.cursor/mcp.json', '.zed/tasks.json', '.gemini/settings.json'],
    ...[
      '.codex/config.toml',
      '.gitea/workflows/x.yml',
      '.woodpecker.yml',
      '.woodpecker/x.yaml',
      '.buildkite/p.yml',
    ],
    ...[
      'team.code-workspace',
      'sub/My.Code-Workspace',
      '.forgejo/workflows/x.yml',
      '.windsurf/x',
      '.aider.conf.yml',
    ],
    ...[
      '.drone.jsonnet',
      'Jenkinsfile.release',
      '.mise.toml',
      'mise.local.toml',
      '.tool-versions',
      '.dir-locals.el',
    ],
    ...[
      '.exrc',
      '.nvim.lua',
      '.gdbinit',
      '.Rprofile',
      '.pnpmfile.mjs',
      '.bundle/config',
      '.lintstagedrc.json',
    ],
    ...[
      '.github/mcp.json',
      '.github/skills/x/SKILL.md',
      '.github/prompts/x.prompt.md',
      'zuul.yaml',
      'packit.yaml',
    ],
    ...['.tmuxp.yaml', '.teamocil.yml', '.reviewboardrc', '.actrc', '.latexmkrc', '.kamal/hooks/pre-build'],
    ...['.corepack.env', '.swiftpm/configuration/mirrors.json', '.lazy.lua', 'apprunner.yaml'],
    ...['.github/hooks/x.json', '.github/copilot/x', '.local/bin/git', 'a/b/.config/systemd/user/x.service'],
    ...[
      '.git/config',
      '.VSCode/tasks.json',
      '.npmrc',
      '.GITHUB/Workflows/x.yml',
      'azure-pipelines.release.yml',
    ],
  ];
  test.each(names)('%s is asked about in acceptEdits', (name) => {
    expect(verdict(`/repo/${name}`)).toBe('ask protected-path');
  });

  const more = [
    ...[
      '.builds/alpine.yml',
      'prek.toml',
      'tools/bazel',
      '.run/App.run.xml',
      '.envrc.local',
      '.docker/config.json',
    ],
    ...[
      '.flox/env/manifest.toml',
      '.pylintrc',
      '.my.cnf',
      '.mavenrc',
      'mise/config.toml',
      '.config/mise/config.toml',
    ],
    ...['.vela.yml', 'codemagic.yaml', 'bitrise.yml', 'ci_scripts/ci_post_clone.sh', '.agola/config.yml'],
    ...['buddy.yml', 'netlify.toml', 'vercel.json', 'amplify.yml', '.rwx/ci.yml', '.pipelines/build.yml'],
    ...[
      '.drone.yml',
      'appveyor.yml',
      '.appveyor.yml',
      'bitbucket-pipelines.yml',
      '.cirrus.yml',
      'wercker.yml',
    ],
    ...['hie.yaml', '.bloop/a.json', '.pants.bootstrap', 'NuGet.Config', '.env.zsh', '.in', 'devenv.nix'],
    ...['.prototools', '.lando.yml', '.readthedocs.yaml', '.platform.app.yaml', 'heroku.yml', 'railway.toml'],
    ...['nixpacks.toml', 'jenkins-x.yml', '.lighthouse/a.yaml'],
    ...['.semaphore/semaphore.yml', 'screwdriver.yaml', '.travis.yml', 'cloudbuild.yaml', 'buildspec.yml'],
  ];
  test.each(more)('%s is asked about as well', (name) => {
    expect(verdict(`/repo/${name}`)).toBe('ask protected-path');
  });

  test.each([
    ['/home/x/.config/nvim', 'init.lua', 'allow'],
    ['/srv/.repo/x', 'src/a.ts', 'allow'],
    ['/w/.settings/checkout', 'a.ts', 'allow'],
    ['/w/.builds', 'project/a.ts', 'allow'],
    ['/w/.settings/checkout', '.vscode/tasks.json', 'ask protected-path'],
    ['/home/x/.config', 'systemd/user/a.service', 'ask protected-path'],
    ['/w/.github', 'workflows/ci.yml', 'ask protected-path'],
    ['/w/.github', 'ISSUE_TEMPLATE.md', 'allow'],
    ['/w/.settings/checkout', '../other/a', 'ask protected-path'],
  ])('in the workspace %s, %s: %s', (cwd, name, expected) => {
    const accesses = [write(join(cwd, name))];
    const { behaviour, by } = judge({ accesses, mode: 'acceptEdits', workspace: { cwd, directories: [] } });
    expect(behaviour === 'allow' ? 'allow' : `${behaviour} ${by}`).toBe(expected);
  });

  const everyday = [
    ...[
      'Directory.Build.props',
      'Directory.Build.targets',
      '.formatter.exs',
      'fly.toml',
      'renovate.json',
      '.env',
    ],
    ...['tools/build.ts', 'mise/readme.md', '.run/notes.md', '.builds/x/src/a.ts', '.docker/Dockerfile'],
    ...[
      'src/index.ts',
      'package.json',
      'Makefile',
      'Dockerfile',
      'tsconfig.json',
      '.eslintrc.json',
      '.prettierrc',
    ],
    ...[
      '.gitignore',
      '.gitattributes',
      '.env.example',
      '.github/ISSUE_TEMPLATE.md',
      '.github/dependabot.yml',
      'a.pth',
    ],
    ...[
      '.editorconfig',
      '.nvmrc',
      '.dockerignore',
      '.storybook/main.ts',
      '.changeset/a.md',
      'pnpm-workspace.yaml',
    ],
    ...[
      '.config/nextest.toml',
      'docs/git.md',
      'src/.gitkeep',
      'lint.config.js',
      'workspace.json',
      'gradle.properties',
    ],
    ...[
      'AGENTS.md',
      'src/jenkins.ts',
      'vite.config.ts',
      '.local/share/x',
      '.terraform/x',
      '.next/x',
      '.venv/bin/x',
    ],
  ];
  test.each(everyday)('%s is an ordinary file', (name) => {
    expect(verdict(`/repo/${name}`)).toBe('allow');
  });

  test('every row has a reason and names in lower case of one or two parts', () => {
    for (const { reason, names: listed } of runsLater) {
      expect(reason.length).toBeGreaterThan(10);
      for (const name of listed) {
        expect(name).toBe(name.toLowerCase());
        expect(name.split('/').length).toBeLessThanOrEqual(2);
        expect(protectedName(`/x/${name.replaceAll('*', '')}`)).toBeDefined();
      }
    }
  });
});

interface Ground {
  top: string;
  userHome: string;
  environment: Record<string, string>;
  git(...args: string[]): string;
  put(name: string, text?: string): string;
  /** As Write is judged in acceptEdits. */
  write(name: string): string;
}

function ground(): Ground {
  const { path } = temporaryDirectory();
  const [top, userHome] = [join(path, 'work'), join(path, 'user')];
  for (const one of [top, userHome]) mkdirSync(one);
  const environment: Record<string, string> = {
    HOME: userHome,
    GIT_CONFIG_NOSYSTEM: '1',
    PATH: process.env.PATH ?? '',
  };
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: top, env: environment, encoding: 'utf8' });
  git('init', '-q');
  const put = (name: string, text = '') => {
    const file = join(top, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const at = {
    cwd: top,
    directories: [],
    home: join(userHome, '.cadre'),
    userHome,
    realPath: resolveRealPath,
  };
  return {
    ...{ top, userHome, environment, git, put },
    write(name) {
      const workspace = { ...at, runsLater: openRunsLater({ userHome, environment }) };
      const { behaviour, by } = judge({ accesses: [write(join(top, name))], mode: 'acceptEdits', workspace });
      return behaviour === 'allow' ? 'allow' : `${behaviour} ${by}`;
    },
  };
}

describe("what git's configuration names", () => {
  test('scripts under a hooks path of the repository', () => {
    const at = ground();
    at.git('config', 'core.hooksPath', 'tools/hooks');
    expect(at.write('tools/hooks/pre-commit')).toBe('ask protected-path');
    expect(at.write('tools/hooks/lib/x.sh')).toBe('ask protected-path');
    expect(at.write('TOOLS/Hooks/pre-commit')).toBe('ask protected-path');
    expect(at.write('tools')).toBe('ask protected-path');
    expect(at.write('tools/other')).toBe('allow');
    expect(at.write('src/a.ts')).toBe('allow');
  });

  test("a relative hooks path of the user's own configuration", () => {
    for (const file of ['.gitconfig', '.config/git/config']) {
      const at = ground();
      mkdirSync(dirname(join(at.userHome, file)), { recursive: true });
      writeFileSync(join(at.userHome, file), '[core]\n\thooksPath = "ci/hooks" ; team\n');
      expect(at.git('rev-parse', '--git-path', 'hooks').trim()).toBe('ci/hooks');
      expect(at.write('ci/hooks/pre-push')).toBe('ask protected-path');
    }
  });

  test('a hooks path that an included file of an included file sets', () => {
    const at = ground();
    writeFileSync(join(at.userHome, '.gitconfig'), '[include] path = one\n');
    writeFileSync(join(at.userHome, 'one'), '[includeIf "gitdir:/nowhere/"]\n path = ~/two\n');
    writeFileSync(join(at.userHome, 'two'), '[CORE] HOOKSPATH = h\\\nooks-x\n');
    expect(at.write('hooks-x/pre-commit')).toBe('ask protected-path');
  });

  test('a hooks path from the environment, the worktree and a link', () => {
    const at = ground();
    at.environment.GIT_CONFIG_COUNT = '1';
    at.environment.GIT_CONFIG_KEY_0 = 'core.hooksPath';
    at.environment.GIT_CONFIG_VALUE_0 = 'env-hooks';
    writeFileSync(join(at.top, '.git/config.worktree'), '[core]\nhooksPath=wt-hooks\n');
    mkdirSync(join(at.top, 'real-hooks'));
    symlinkSync('real-hooks', join(at.top, 'wt-hooks'));
    expect(at.write('env-hooks/x')).toBe('ask protected-path');
    expect(at.write('wt-hooks/x')).toBe('ask protected-path');
    expect(at.write('real-hooks/x')).toBe('ask protected-path');
  });

  test('a hooks path that is the top closes the hooks and nothing else', () => {
    const at = ground();
    at.git('config', 'core.hooksPath', '.');
    expect(at.write('pre-commit')).toBe('ask protected-path');
    expect(at.write('a.ts')).toBe('allow');
  });

  test('included files, there or not', () => {
    const at = ground();
    at.git('config', 'include.path', '../team.gitconfig');
    at.git('config', 'includeIf.onbranch:x.path', `${at.top}/other.gitconfig`);
    expect(at.write('team.gitconfig')).toBe('ask protected-path');
    expect(at.write('other.gitconfig')).toBe('ask protected-path');
  });

  test.each([
    ['core.fsmonitor', './tools/watch'],
    ['core.attributesFile', 'tools/watch'],
    ['core.sshCommand', 'ssh -F tools/watch'],
    ['alias.x', '!./tools/watch --fast'],
    ['alias.y', '!sh -c "exec $(git rev-parse --show-toplevel)/tools/watch"'],
    ['filter.a.clean', '"tools/watch" %f'],
    ['diff.a.textconv', 'node tools/watch'],
    ['merge.a.driver', 'tools/watch %O %A'],
    ['credential.helper', '!tools/watch'],
    ['credential.https://example.com.helper', '$HOME/../work/tools/watch'],
    ['gpg.program', 'tools/watch'],
    ['core.editor', 'tools/watch'],
    ['pager.log', 'tools/watch'],
    ['submodule.a.update', '!tools/watch'],
    ['remote.origin.uploadpack', 'tools/watch'],
    ['lfs.customtransfer.a.path', 'tools/watch'],
    ['hook.a.command', 'tools/watch'],
    ['some.future.thing', 'tools/watch'],
  ])('a file that %s runs', (key, value) => {
    const at = ground();
    at.git('config', key, value);
    chmodSync(at.put('tools/watch', '#!/bin/sh\n'), 0o755);
    expect(at.write('tools/watch')).toBe('ask protected-path');
    expect(at.write('tools/other')).toBe('allow');
  });

  test('a script without a slash that an alias hands to an interpreter', () => {
    const at = ground();
    at.git('config', 'alias.x', '!node release.mjs package.json');
    at.put('release.mjs');
    at.put('package.json');
    expect(at.write('release.mjs')).toBe('ask protected-path');
    expect(at.write('package.json')).toBe('allow');
  });

  test('what only looks like a path stays ordinary', () => {
    const at = ground();
    at.git('config', 'branch.src/a.merge', 'refs/heads/src/a');
    at.git('config', 'remote.origin.url', '../src');
    at.git('config', 'commit.template', 'src/message');
    at.git('config', 'alias.st', 'status src/a');
    for (const name of ['src/a', 'src/message', 'refs/heads/src/a'])
      expect([name, at.write(name)]).toEqual([name, 'allow']);
  });

  test('a worktree and a submodule follow the configuration that they share', () => {
    const at = ground();
    at.git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
    at.git('worktree', 'add', '-q', 'wt');
    at.git('config', 'core.hooksPath', 'hk');
    expect(at.write('wt/hk/pre-commit')).toBe('ask protected-path');
    mkdirSync(join(at.top, '.git/modules/sub'), { recursive: true });
    writeFileSync(join(at.top, '.git/modules/sub/config'), '[core]\nhooksPath=subhooks\n');
    at.put('sub/.git', 'gitdir: ../.git/modules/sub\n');
    expect(at.write('sub/subhooks/pre-commit')).toBe('ask protected-path');
  });

  test('a bare repository, and the file that would make one', () => {
    const at = ground();
    at.git('init', '-q', '--bare', 'store');
    expect(at.write('store/hooks/pre-receive')).toBe('ask protected-path');
    for (const name of ['made/config', 'made/HEAD', 'made/refs/x']) at.put(name);
    expect(at.write('made/objects/x')).toBe('ask protected-path');
    expect(at.write('made/other')).toBe('allow');
  });

  test('a head, which every git directory needs, and what would complete one beside it', () => {
    const at = ground();
    for (const name of ['HEAD', 'src/HEAD', 'new/deep/HEAD', 'src/head'])
      expect([name, at.write(name)]).toEqual([name, 'ask protected-path']);
    at.put('fixture/HEAD', 'ref: refs/heads/main\n');
    for (const name of ['objects', 'refs', 'commondir', 'refs/heads/x', 'objects/info/alternates'])
      expect([name, at.write(`fixture/${name}`)]).toEqual([name, 'ask protected-path']);
    for (const name of [
      'fixture/readme',
      'src/objects/a.ts',
      'src/refs',
      'commondir',
      'src/HEAD.md',
      'Head/a.ts',
    ])
      expect([name, at.write(name)]).toEqual([name, 'allow']);
  });

  test('a git directory whose data is in another place', () => {
    const at = ground();
    at.put('tree/HEAD', 'ref: refs/heads/main\n');
    at.put('tree/commondir', '../data\n');
    expect(at.write('tree/config.worktree')).toBe('ask protected-path');
  });
});

test('a configuration is read as git reads it', () => {
  const { path } = temporaryDirectory();
  const text = [
    '\uFEFF[a] b = 1 # x',
    '[Core "Sub \\"q\\" x"]',
    '  Key-One = " two  words " tail ; c',
    '\tflag',
    '  esc = a\\tb\\\\c \\"d\\"',
    '  long = one \\',
    '  two',
    '[old.Style]x=y#z',
    '; [no] k = v',
  ].join('\n');
  writeFileSync(join(path, 'config'), text);
  const listed = execFileSync('git', ['config', '-z', '--list', '--file', join(path, 'config')], {
    encoding: 'utf8',
  });
  const ours = parseGitConfig(text).map(({ section, subsection, name, value }) => [
    [section, subsection, name].filter((part) => part !== '').join('.'),
    value,
  ]);
  const theirs = listed
    .split('\0')
    .filter(Boolean)
    .map((entry) => {
      const at = entry.indexOf('\n');
      return at < 0 ? [entry, 'true'] : [entry.slice(0, at), entry.slice(at + 1)];
    });
  expect(ours).toEqual(theirs);
});
