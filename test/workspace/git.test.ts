import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { guardOwner } from '../../src/lib/processes/owner-rights.ts';
import { ownerVariable } from '../../src/lib/processes/process.ts';
import { failure, ok } from '../../src/lib/result.ts';
import type { StartFilters } from '../../src/workspace/git/filter-start.ts';
import { git } from '../../src/workspace/git/git.ts';
import { needs, temporaryDirectory } from '../support/index.ts';

const gitTest = needs('git');
const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent' };

function repository(): string {
  const { path } = temporaryDirectory();
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: path });
  run('init', '-q');
  writeFileSync(join(path, 'a.txt'), 'one\n');
  run('add', '.');
  run('commit', '-qm', 'first');
  return path;
}

gitTest('git returns what it printed', async () => {
  expect(await git(['log', '--format=%s'], { cwd: repository(), env })).toEqual({
    ok: true,
    value: 'first\n',
  });
});

gitTest('a failure is a value that names command, directory and reason', async () => {
  const { path } = temporaryDirectory();
  const result = await git(['log'], { cwd: path, env });
  expect(result.ok).toBe(false);
  expect(result.ok ? '' : result.problem.message).toContain(
    `in ${path} ended with 128: fatal: not a git repository`,
  );
});

gitTest('C2 a hostile repository runs nothing', async () => {
  const cwd = repository();
  const flag = join(cwd, 'owned');
  const evil = join(cwd, 'evil.sh');
  writeFileSync(evil, `#!/bin/sh\necho "$0 $@" >> ${flag}\ncat\n`, { mode: 0o755 });
  const config = `
[core]
\tfsmonitor = ${evil}
\tpager = ${evil}
\thooksPath = ${cwd}/hooks
[diff]
\texternal = ${evil}
[diff "evil"]
\ttextconv = ${evil}
\tcommand = ${evil}
[filter "evil"]
\tclean = ${evil}
\tsmudge = ${evil}
\trequired = true
[log]
\tshowSignature = true
[gpg]
\tprogram = ${evil}
[alias]
\tst = !${evil}
`;
  appendFileSync(join(cwd, '.git/config'), config);
  mkdirSync(join(cwd, 'hooks'));
  for (const hook of ['post-index-change', 'post-checkout']) {
    writeFileSync(join(cwd, 'hooks', hook), `#!/bin/sh\ntouch ${flag}\n`, { mode: 0o755 });
  }
  writeFileSync(join(cwd, '.gitattributes'), '*.txt diff=evil filter=evil\n');
  writeFileSync(join(cwd, 'a.txt'), 'two\n');
  for (const args of [
    ['status', '--porcelain'],
    ['diff'],
    ['log', '-p'],
    ['show'],
    ['blame', 'a.txt'],
    ['ls-files', '-m'],
    ['ls-files', '-z', '--others', '--directory', '--exclude-standard', '--exclude=b', '--', '.'],
    ['check-ignore', '-z', '--stdin'],
    ['stash', 'create'],
    ['checkout', '-q', 'HEAD', '--', 'a.txt'],
  ]) {
    const result = await git(args, {
      cwd,
      alsoGood: args[0] === 'check-ignore' ? [1] : [],
      input: 'a.txt\0',
      env: {
        ...env,
        GIT_AUTHOR_NAME: 'a',
        GIT_AUTHOR_EMAIL: 'a@b',
        GIT_COMMITTER_NAME: 'a',
        GIT_COMMITTER_EMAIL: 'a@b',
      },
    });
    expect(result).toMatchObject({ ok: true });
    expect([args[0], existsSync(flag)]).toEqual([args[0], false]);
  }
});

gitTest(
  'content is compared by a second process where settings may name filters, which the first lists to switch them off',
  async () => {
    const cwd = repository();
    const { path: bin } = temporaryDirectory();
    const log = join(bin, 'log');
    const real = execFileSync('/bin/sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$*" >> ${log}\nexec ${real} "$@"\n`, { mode: 0o755 });
    const countProcesses = async (...args: string[]) => {
      rmSync(log, { force: true });
      await git(args, { cwd, env: { ...env, PATH: `${bin}:${env.PATH}` }, input: '', alsoGood: [1] });
      return readFileSync(log, 'utf8').trim().split('\n').length;
    };
    expect(await countProcesses('ls-files', '-z', '--others', '--exclude-standard', '--exclude=b')).toBe(1);
    expect(await countProcesses('ls-files', '-z', '--others', '--directory', '--', '-m')).toBe(1);
    expect(await countProcesses('check-ignore', '-z', '--stdin')).toBe(1);
    expect(await countProcesses('diff-tree', 'HEAD')).toBe(1);
    expect(await countProcesses('ls-files', '-z', '--modified')).toBe(2);
    for (const heading of ['[filter "a"]', '[DIFF "a"]', '[include]', '[extensions]']) {
      const settings = join(cwd, '.git/config');
      const plain = readFileSync(settings, 'utf8');
      writeFileSync(settings, `${plain}${heading}\n`);
      expect([heading, await countProcesses('diff-tree', 'HEAD')]).toEqual([heading, 2]);
      expect([heading, await countProcesses('ls-files', '-z', '--modified')]).toEqual([heading, 2]);
      writeFileSync(settings, plain);
    }
    // Git passes over such data, and reads another repository's settings.
    rmSync(join(cwd, '.git/refs'), { recursive: true });
    expect(await countProcesses('ls-files', '-zm')).toBe(2);
  },
);

gitTest('C2 a bare repository planted in the tree is not used', async () => {
  const cwd = repository();
  const planted = join(cwd, 'planted');
  execFileSync('git', ['init', '-q', '--bare', planted]);
  expect((await git(['status'], { cwd: planted, env })).ok).toBe(false);
});

gitTest('variables of git that were inherited point nowhere', async () => {
  const result = await git(['rev-parse', '--show-toplevel'], {
    cwd: temporaryDirectory().path,
    env: { ...env, GIT_DIR: join(repository(), '.git') },
  });
  expect(result.ok).toBe(false);
});

gitTest('a program called git in the work tree is not run, wherever the search path leads', async () => {
  const { path } = temporaryDirectory();
  mkdirSync(join(path, 'bin'));
  writeFileSync(join(path, 'bin/git'), `#!/bin/sh\ntouch ${path}/ran\n`, { mode: 0o755 });
  const PATH = ['bin', '', join(path, 'bin'), process.env.PATH ?? ''].join(':');
  await git(['version'], { cwd: path, env: { PATH } });
  expect(existsSync(join(path, 'ran'))).toBe(false);
});

gitTest(
  'C2 a repository that lacks objects fetches none, which it would with a program that it names',
  async () => {
    const cwd = repository();
    const flag = join(cwd, 'owned');
    const config = `
[core]
\trepositoryformatversion = 1
[remote "origin"]
\turl = file://${repository()}
\tpromisor = true
\tuploadpack = touch ${flag}; git-upload-pack
[extensions]
\tpartialClone = origin
`;
    appendFileSync(join(cwd, '.git/config'), config);
    const tree = execFileSync('git', ['rev-parse', 'HEAD^{tree}'], { cwd }).toString().trim();
    rmSync(join(cwd, '.git/objects', tree.slice(0, 2), tree.slice(2)));
    expect((await git(['status', '--porcelain'], { cwd, env })).ok).toBe(false);
    expect(existsSync(flag)).toBe(false);
  },
);

gitTest('commits have the parents that they were made with, whatever `info/grafts` says', async () => {
  const cwd = repository();
  const commit = ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--allow-empty', '-qm', 'second'];
  execFileSync('git', commit, { cwd });
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd, encoding: 'utf8' });
  writeFileSync(join(cwd, '.git/info/grafts'), head);
  expect(await git(['log', '--format=%s'], { cwd, env })).toEqual({ ok: true, value: 'second\nfirst\n' });
});

gitTest('SE1 a session that was taken over starts no git, and nothing is made for its filters', async () => {
  const cwd = repository();
  const settings = '[filter "upper"]\n\tclean = tr a-z A-Z\n\tsmudge = cat\n';
  appendFileSync(join(cwd, '.git', 'config'), settings);
  writeFileSync(join(cwd, '.gitattributes'), '*.txt filter=upper\n');
  let isOpen = true;
  const prepared: string[] = [];
  const startFilters: StartFilters = ({ cwd: place }, work) => {
    prepared.push(place);
    return work(undefined);
  };
  const options = {
    cwd,
    env: { ...env, [ownerVariable]: 'session' },
    trustsFilter: () => true,
    startFilters,
  };
  const endGuard = guardOwner('session', () => (isOpen ? ok(undefined) : failure('it was taken over')));
  expect(await git(['reset', '--hard'], options)).toMatchObject({ ok: true });
  expect(prepared).toEqual([cwd]);
  isOpen = false;
  expect(await git(['reset', '--hard'], options)).toMatchObject({
    ok: false,
    problem: { message: 'it was taken over' },
  });
  expect(prepared).toEqual([cwd]);
  isOpen = true;
  endGuard();
});
