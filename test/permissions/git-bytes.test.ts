import { expect } from 'bun:test';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { git as ownGit } from '../../src/workspace/git/git.ts';
import { neutralGitVariables } from '../../src/workspace/git/shell.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { judge } from './cases.ts';

const gitTest = needs('git');

const lines = [
  ...['git status', 'git status --short', 'git diff', 'git diff HEAD', 'git diff --stat', 'git log -p'],
  ...['git show', 'git blame a.txt', 'git grep one', 'git ls-files -m', 'git diff --no-index a.txt b.txt'],
];

interface Poison {
  readonly name: string;
  /** Makes the repository run `evil`. One character is one byte. */
  plant(root: string, evil: string, git: Git): void;
  /** The judge sees it in the files; else only the run itself does, and git does not start. */
  readonly asked?: true;
}

type Git = (cwd: string, ...args: string[]) => void;

function put(file: string, text: string): void {
  appendFileSync(file, Buffer.from(text, 'latin1'));
}

const attributes = (root: string, text: string) => put(join(root, '.git/info/attributes'), text);
const filter = (evil: string, name: string) => `[filter "${name}"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n`;

const poisons: readonly Poison[] = [
  {
    name: 'a filter whose name is not UTF-8',
    plant: (root, evil) => {
      put(join(root, '.git/config'), filter(evil, '\xff'));
      put(join(root, '.gitattributes'), '*.txt filter=\xff\n');
    },
    asked: true,
  },
  {
    name: 'a comparison whose name is not UTF-8',
    plant: (root, evil) => {
      put(join(root, '.git/config'), `[diff "\xfe"]\n\ttextconv = ${evil}\n\tcommand = ${evil}\n`);
      attributes(root, '*.txt diff=\xfe\n');
    },
    asked: true,
  },
  {
    name: 'a name that is half a character, another one that stands for it, and one that is too long',
    plant: (root, evil) => {
      for (const name of ['\xc3', '\xef\xbf\xbd', '\xc0\xaf', '\xed\xa0\x80'])
        put(join(root, '.git/config'), filter(evil, name));
      attributes(root, '*.txt filter=\xc3\nb* filter=\xc0\xaf\n');
    },
    asked: true,
  },
  {
    name: 'in the form of another line end, behind a mark of byte order, in an included file',
    plant: (root, evil) => {
      put(join(root, '.git/inc'), `\xef\xbb\xbf[filter\r "\xff"]clean = ${evil}\r\n`);
      put(join(root, '.git/config'), '[include]\n\tpath = inc\n');
      attributes(root, '*.txt filter=\xff\n');
    },
    asked: true,
  },
  {
    name: 'in the configuration of a worktree',
    plant: (root, evil, git) => {
      git(root, 'config', 'core.repositoryformatversion', '1');
      git(root, 'config', 'extensions.worktreeConfig', 'true');
      put(join(root, '.git/config.worktree'), filter(evil, 'x\xffy'));
      attributes(root, '*.txt filter=x\xffy\n');
    },
    asked: true,
  },
  {
    name: 'a file to include whose name is not UTF-8',
    plant: (root, evil) => {
      writeFileSync(Buffer.from(`${root}/.git/inc\xff`, 'latin1'), filter(evil, 'plain'));
      put(join(root, '.git/config'), '[include]\n\tpath = inc\xff\n');
      attributes(root, '*.txt filter=plain\n');
    },
    asked: true,
  },
  {
    name: 'a submodule whose name is not UTF-8',
    plant: (root, evil, git) => submodule(root, evil, git, { name: 'n\xff' }),
    asked: true,
  },
  {
    name: 'a submodule whose path is not UTF-8',
    plant: (root, evil, git) => submodule(root, evil, git, { path: 's\xff' }),
  },
  {
    name: 'submodules that are described in the index alone',
    plant: (root, evil, git) => {
      submodule(root, evil, git, {});
      rmSync(join(root, '.gitmodules'));
    },
  },
  {
    name: 'submodules that are described in the last commit alone',
    plant: (root, evil, git) => {
      submodule(root, evil, git, {});
      git(root, 'rm', '-q', '--cached', '.gitmodules');
      rmSync(join(root, '.gitmodules'));
    },
  },
  {
    name: 'submodules whose description in the index has an error behind them',
    plant: (root, evil, git) => {
      submodule(root, evil, git, {}, '[broken\n');
      rmSync(join(root, '.gitmodules'));
    },
  },
  {
    name: 'a submodule of the last commit whose name is not UTF-8',
    plant: (root, evil, git) => {
      submodule(root, evil, git, { name: 'n\xff' });
      git(root, 'rm', '-q', '--cached', '.gitmodules');
      rmSync(join(root, '.gitmodules'));
    },
  },
  {
    name: 'submodules behind a description that leads nowhere',
    plant: (root, evil, git) => {
      submodule(root, evil, git, {});
      rmSync(join(root, '.gitmodules'));
      symlinkSync('nowhere', join(root, '.gitmodules'));
    },
  },
];

for (const { name, plant, asked } of poisons)
  gitTest(`git runs nothing of a repository with ${name}`, async () => {
    const { root, env, flag, evil, git } = repository();
    plant(root, evil, git);
    writeFileSync(join(root, 'a.txt'), 'three\n');
    for (const line of lines) {
      if (asked) expect([line, decideOn(root, line).behaviour]).toEqual([line, 'ask']);
      const variables = await neutralGitVariables([root], { env });
      spawnSync('bash', ['-c', line], { cwd: root, env: { ...env, ...variables } });
      expect([line, existsSync(flag)]).toEqual([line, false]);
    }
    for (const args of [['status', '--porcelain'], ['diff'], ['diff-files', '-p'], ['ls-files', '-m']]) {
      await ownGit(args, { cwd: root, env });
      expect([args, existsSync(flag)]).toEqual([args, false]);
    }
    // The same without: else the test would prove nothing.
    for (const line of lines) spawnSync('bash', ['-c', line], { cwd: root, env });
    expect(existsSync(flag)).toBe(true);
  });

gitTest(
  'git runs nothing of a submodule where it was killed before it could say which there are',
  async () => {
    const { root, env, flag, evil, git } = repository();
    submodule(root, evil, git, {});
    rmSync(join(root, '.gitmodules'));
    const broken = resolveRealPath(temporaryDirectory().path);
    const real = execFileSync('bash', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const text = `#!/bin/sh\ncase "$*" in *cat-file*) kill -9 $$ ;; esac\nexec ${real} "$@"\n`;
    writeFileSync(join(broken, 'git'), text, { mode: 0o755 });
    const variables = await neutralGitVariables([root], { env: { ...env, PATH: `${broken}:${env.PATH}` } });
    for (const line of lines) spawnSync('bash', ['-c', line], { cwd: root, env: { ...env, ...variables } });
    expect(existsSync(flag)).toBe(false);
  },
);

gitTest('names that are not UTF-8 where nothing hangs on them are nobody’s business', async () => {
  const { root, env, git } = repository();
  put(
    join(root, '.git/config'),
    '[user]\n\tname = Jos\xe9\n[branch "b\xff"]\n\tremote = o\n\tmerge = refs/heads/b\xff\n',
  );
  put(join(root, '.git/config'), '# caf\xe9\n[remote "r\xff"]\n\turl = x\n');
  writeFileSync(Buffer.from(`${root}/Jos\xe9.txt`, 'latin1'), 'x\n');
  git(root, 'add', '-A');
  for (const line of lines) expect([line, decideOn(root, line).behaviour]).toEqual([line, 'allow']);
  const variables = await neutralGitVariables([root], { env });
  const { status, stdout } = spawnSync('git', ['status', '--short'], {
    cwd: root,
    env: { ...env, ...variables },
  });
  expect([status, stdout.toString()]).toEqual([0, 'A  "Jos\\351.txt"\n']);
  expect((await ownGit(['status'], { cwd: root, env })).ok).toBe(true);
});

gitTest('a repository that cannot be told is asked about with a plain reason', () => {
  const { root, evil } = repository();
  put(join(root, '.git/config'), filter(evil, '\xff'));
  expect(decideOn(root, 'git diff').reason).toContain('a name that is not valid UTF-8');
});

function decideOn(root: string, command: string) {
  const workspace = { cwd: root, directories: [], realPath: resolveRealPath, look: lookAtFiles([root]) };
  return judge({ accesses: [{ kind: 'shell', command, cwd: root }], workspace });
}

function repository() {
  const top = resolveRealPath(temporaryDirectory().path);
  const root = join(top, 'work');
  const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', CADRE_OWNER: 'test-bytes' };
  const [flag, evil] = [join(top, 'owned'), join(top, 'evil.sh')];
  writeFileSync(evil, `#!/bin/sh\necho "$0 $@" >> ${flag}\ncat\n`, { mode: 0o755 });
  const git: Git = (cwd, ...args) =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd,
      env,
      stdio: 'pipe',
    });
  mkdirSync(root);
  fill(root, git);
  return { root, env, flag, evil, git };
}

function fill(root: string, git: Git): void {
  git(root, 'init', '-q');
  for (const text of ['one\n', 'two\n']) {
    writeFileSync(join(root, 'a.txt'), text);
    writeFileSync(join(root, 'b.txt'), text);
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', text);
  }
}

/** A submodule with a filter of its own, into which git looks for changes since its description says so. */
function submodule(
  root: string,
  evil: string,
  git: Git,
  { name = 'n', path = 'sub' }: { name?: string; path?: string },
  more = '',
): void {
  const inner = join(root, 'made');
  mkdirSync(inner);
  fill(inner, git);
  put(join(inner, '.git/config'), filter(evil, 'plain'));
  attributes(inner, '* filter=plain\n');
  // As long as what git keeps, and of another time: only the filter's output tells git whether it is the same.
  writeFileSync(join(inner, 'a.txt'), 'six\n');
  utimesSync(join(inner, 'a.txt'), 1, 1);
  put(
    join(root, '.gitmodules'),
    `[submodule "${name}"]\n\tpath = ${path}\n\turl = ./x\n\tignore = none\n${more}`,
  );
  const script = `mv made "$(printf '${[...path].map((one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`).join('')}')"`;
  execFileSync('bash', ['-c', script], { cwd: root });
  git(root, '-c', 'advice.addEmbeddedRepo=false', 'add', '-A');
  git(root, 'commit', '-qm', 'submodule');
}
