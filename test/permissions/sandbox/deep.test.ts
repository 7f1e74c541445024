import { describe, expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../../src/lib/clock.ts';
import { Fifos } from '../../../src/lib/files/fifo.ts';
import { noSettings } from '../../../src/settings/merge.ts';
import { startShell } from '../../../src/tools/bash/process.ts';
import { aTick, needs, temporaryDirectory } from '../../support/index.ts';
import { held, put, room, run } from './support.ts';

const test = needs('bwrap');

const names = [
  '.vscode/tasks.json',
  '.idea/workspace.xml',
  '.git/hooks/pre-commit',
  '.husky/pre-commit',
  '.cargo/config.toml',
  '.devcontainer/devcontainer.json',
  '.yarn/plugins/x.cjs',
  '.mvn/extensions.xml',
  '.claude/settings.json',
  '.cadre/settings.json',
  '.github/workflows/x.yml',
  '.github/actions/x/action.yml',
  '.circleci/config.yml',
  '.config/git/config',
  '.config/fish/config.fish',
  '.npmrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  '.envrc',
  '.gitmodules',
  '.mcp.json',
  '.gitlab-ci.yml',
  '.travis.yml',
  'Jenkinsfile',
  'lefthook.yml',
  'bunfig.toml',
  '.bazelrc',
  '.pre-commit-config.yaml',
];

describe('C4 protected names that a command makes deep below', () => {
  for (const name of names)
    test(`${name}, in a directory that was there and in one that was not`, async () => {
      const at = room();
      put(at, { 'packages/p/a.ts': '' });
      const paths = [`packages/p/${name}`, `x/y/${name}`];
      const { notes } = await run(
        at,
        paths.map((path) => `mkdir -p ${dirname(path)}; echo x > ${path}`).join('; '),
      );
      expect(paths.filter((path) => existsSync(join(at.cwd, path)))).toEqual([]);
      expect(notes[0]).toContain('were moved to');
      expect(held(at)).toHaveLength(2);
    });

  const ways: Record<string, string> = {
    'by a rename':
      'mkdir -p packages/p/x; echo x > packages/p/x/tasks.json; mv packages/p/x packages/p/.vscode',
    'by a rename of the directory around it': 'mkdir -p q/.vscode; touch q/.vscode/x; mv q packages/p/q',
    'by an exchange':
      'mkdir -p q/.vscode; touch q/.vscode/x; mv packages/p old; mv q packages/p; rm -rf old/none',
    'by a hard link': 'ln packages/p/a.ts packages/p/.npmrc',
    'by a link': 'ln -s a.ts packages/p/.npmrc; ln -s ../../src packages/p/.vscode',
    'by a link in place of what holds it': 'mkdir -p q/workflows; ln -s ../../q packages/p/.github',
    'in node_modules': 'mkdir -p node_modules/a/.vscode; touch node_modules/a/.vscode/x',
    'in the repository’s own directory': 'mkdir -p .git/objects/zz/.vscode; touch .git/objects/zz/.vscode/x',
    'in another case': 'mkdir packages/p/.VsCode; touch packages/p/.VsCode/tasks.json',
    'in a directory that cannot be read': 'mkdir -p packages/q/.vscode; chmod 000 packages/q',
    'in one that cannot be written': 'mkdir -p packages/q/.vscode; chmod 500 packages/q',
    'in a workspace that is closed itself': 'mkdir .vscode packages/q; touch packages/q/.npmrc; chmod 000 .',
    'below a name that is no text': "mkdir -p $'packages/\\xff/.vscode'",
  };
  for (const [way, command] of Object.entries(ways))
    test(way, async () => {
      const at = room();
      execFileSync('git', ['init', '-q'], { cwd: at.cwd });
      put(at, { 'packages/p/a.ts': '', 'node_modules/a/index.js': '', 'src/b.ts': '' });
      const { notes } = await run(at, command);
      expect(notes[0]).toContain('were moved to');
      const left = execFileSync(
        'find',
        [at.cwd, '(', '-iname', '.vscode', '-o', '-name', '.npmrc', '-o', '-type', 'l', ')'],
        { encoding: 'utf8' },
      );
      expect(left).toBe('');
    });

  test('so deep that no path leads there', async () => {
    const at = room();
    const { notes } = await run(
      at,
      'mkdir d; cd d; for i in $(seq 30); do n=$(printf "%0200d" $i); mkdir $n; cd -P ./$n; done; mkdir .vscode',
    );
    expect(notes[0]).toContain('were moved to');
    expect(execFileSync('find', [at.cwd, '-name', '.vscode'], { encoding: 'utf8' })).toBe('');
  });

  test('a repository in a directory of its own, with or without that name', async () => {
    const at = room();
    put(at, { 'a/b/x': '' });
    const { notes } = await run(at, 'git init -q a/b/sub; git init -q --bare a/b/bare');
    expect(existsSync(join(at.cwd, 'a/b/sub/.git'))).toBe(false);
    expect(existsSync(join(at.cwd, 'a/b/bare/HEAD'))).toBe(false);
    expect(notes[0]).toContain('dangerouslyDisableSandbox');
  });

  const planted: Record<string, string> = {
    'with all its parts': 'mkdir -p a/b/objects a/b/refs; echo "ref: refs/heads/m" > a/b/HEAD',
    'with its data in another place':
      'mkdir -p data/objects data/refs; echo ../../data > a/b/commondir; echo "ref: refs/heads/m" > a/b/HEAD',
    'with a link for a head': 'mkdir -p a/b/objects a/b/refs; ln -s refs/heads/m a/b/HEAD',
    'with links for its parts':
      'ln -s ../x a/b/objects; ln -s ../x a/b/refs; echo "ref: refs/heads/m" > a/b/HEAD',
    'below a name that is no text':
      "mkdir -p $'a/\\xff/objects' $'a/\\xff/refs'; echo 'ref: refs/heads/m' > $'a/\\xff/HEAD'",
  };
  for (const [way, command] of Object.entries(planted))
    test(`a planted git directory ${way}`, async () => {
      const at = room();
      put(at, { 'a/b/x': '' });
      const { notes } = await run(at, command);
      expect(notes[0]).toContain('were moved to');
      expect(execFileSync('find', [at.cwd, '-name', 'HEAD'], { encoding: 'utf8' })).toBe('');
    });

  test('a head that was there, around which a command makes the rest', async () => {
    const at = room();
    put(at, { 'a/b/HEAD': 'ref: refs/heads/main\n', 'c/HEAD': 'about heads\n' });
    const first = await run(at, 'echo x > a/b/note; echo ../../data > c/commondir');
    expect(first.notes[0]).toContain('c/HEAD');
    expect(existsSync(join(at.cwd, 'a/b/HEAD'))).toBe(true);
    await run(at, 'mkdir -p data/objects data/refs; echo ../../data > a/b/commondir');
    expect(held(at).some((path) => path.endsWith('a/b/HEAD'))).toBe(true);
  });

  test('hidden by one command and brought out by the next', async () => {
    const at = room();
    execFileSync('git', ['init', '-q'], { cwd: at.cwd });
    put(at, { 'a/b/x': '' });
    await run(at, 'mkdir -p a/b/v .git/objects/00/.vscode; touch a/b/v/tasks.json');
    await run(at, 'mv a/b/v a/b/.vscode; mv .git/objects/00 a/b/zero');
    expect(existsSync(join(at.cwd, 'a/b/.vscode'))).toBe(false);
    expect(existsSync(join(at.cwd, 'a/b/zero/.vscode'))).toBe(false);
  });

  test('in other places that settings open for writing', async () => {
    const { filesystem } = noSettings().sandbox;
    const at = room({ filesystem });
    const extra = join(at.userHome, 'extra');
    mkdirSync(join(extra, 'a/b'), { recursive: true });
    filesystem.allowWrite.push(extra);
    await run(at, 'mkdir -p ~/extra/a/b/.vscode; touch ~/extra/a/b/.npmrc');
    expect(readdirSync(join(extra, 'a/b'))).toEqual([]);
  });
});

describe('C4 protected paths deep below that are there', () => {
  test('one that the user made since the last command is kept and guarded', async () => {
    const at = room();
    put(at, { 'a/b/x': '' });
    await run(at, 'true');
    put(at, { 'a/b/.npmrc': 'mine', 'a/b/repo/y': '' });
    execFileSync('git', ['init', '-q'], { cwd: join(at.cwd, 'a/b/repo') });
    await aTick();
    expect((await run(at, 'touch a/b/new a/new a/b/repo/new')).notes).toEqual([]);
    const { text } = await run(at, 'echo x > a/b/.npmrc; echo x >> a/b/repo/.git/config');
    expect(text.match(/Read-only/g)).toHaveLength(2);
    expect(readFileSync(join(at.cwd, 'a/b/.npmrc'), 'utf8')).toBe('mine');
  });

  test('there are more than can be mounted: what is changed or removed is put back', async () => {
    const at = room();
    const count = 45;
    for (let index = 0; index < count; index++)
      put(at, { [`p/${index}/.npmrc`]: `old ${index}`, [`p/${index}/.vscode/tasks.json`]: `old ${index}` });
    const { notes } = await run(
      at,
      'for i in $(seq 0 44); do echo new > p/$i/.npmrc; touch p/$i/.vscode/more; rm -rf p/$i/.vscode; done',
    );
    for (let index = 0; index < count; index++) {
      expect(readFileSync(join(at.cwd, `p/${index}/.npmrc`), 'utf8')).toBe(`old ${index}`);
      expect(readdirSync(join(at.cwd, `p/${index}/.vscode`))).toEqual(['tasks.json']);
      expect(readFileSync(join(at.cwd, `p/${index}/.vscode/tasks.json`), 'utf8')).toBe(`old ${index}`);
    }
    expect(notes.join()).toContain('were restored');
  });

  test('one of those that the user removed is not made again', async () => {
    const at = room();
    put(at, { 'node_modules/a/.npmrc': 'old', 'node_modules/a/index.js': '' });
    await run(at, 'true');
    rmSync(join(at.cwd, 'node_modules/a/.npmrc'));
    await aTick();
    await run(at, 'true');
    await run(at, 'echo new > node_modules/a/.npmrc');
    expect(existsSync(join(at.cwd, 'node_modules/a/.npmrc'))).toBe(false);
  });

  test('one that packages brought along too', async () => {
    const at = room();
    put(at, { 'node_modules/a/.npmrc': 'old', 'node_modules/a/.github/workflows/x.yml': 'old' });
    await run(at, 'echo new > node_modules/a/.npmrc; touch node_modules/a/.github/workflows/new.yml');
    expect(readFileSync(join(at.cwd, 'node_modules/a/.npmrc'), 'utf8')).toBe('old');
    expect(readdirSync(join(at.cwd, 'node_modules/a/.github/workflows'))).toEqual(['x.yml']);
  });

  test('a link is put back where it led', async () => {
    const at = room();
    put(at, { 'a/b/x': '', 'elsewhere/tasks.json': 'old' });
    symlinkSync('../../elsewhere', join(at.cwd, 'a/b/.vscode'));
    await run(at, 'rm a/b/.vscode; mkdir a/b/.vscode; touch a/b/.vscode/x');
    expect(readdirSync(join(at.cwd, 'a/b/.vscode'))).toEqual(['tasks.json']);
  });

  test('the file that leads from a submodule to its repository is not rewritten', async () => {
    const at = room();
    put(at, { 'a/b/sub/x': '', 'a/b/sub/.git': 'gitdir: ../../../elsewhere\n' });
    await run(at, 'echo x > a/b/sub/.git; echo "gitdir: /tmp" > a/b/sub/.git');
    expect(readFileSync(join(at.cwd, 'a/b/sub/.git'), 'utf8')).toBe('gitdir: ../../../elsewhere\n');
  });

  test('commits in a repository far below are not held against anybody', async () => {
    const at = room();
    const sub = join(at.cwd, 'a/b/c/sub');
    put(at, { 'a/b/c/sub/x': '' });
    execFileSync('git', ['init', '-q'], { cwd: sub });
    const { notes, code } = await run(
      at,
      'cd a/b/c/sub; git add .; git -c user.name=A -c user.email=a@example.com commit -qm first',
    );
    expect([code, notes]).toEqual([0, []]);
  });
});

test('a branch may have the name of a protected file', async () => {
  const at = room();
  execFileSync('git', ['init', '-q'], { cwd: at.cwd });
  const commit = 'git -c user.name=A -c user.email=a@example.com commit -q --allow-empty -m first';
  const { notes, code } = await run(at, `${commit}; git branch fix/jenkinsfile; git branch bunfig.toml`);
  expect([code, notes]).toEqual([0, []]);
});

test('what a command that goes on has made deep below is noticed meanwhile', async () => {
  const at = room();
  put(at, { 'a/b/x': '' });
  const fifos = new Fifos(() => temporaryDirectory().path);
  const running = await startShell({
    ...{
      command: 'until [ -e go ]; do sleep 0.02; done; mkdir a/b/.vscode; touch up; sleep 60',
      cwd: at.cwd,
    },
    ...{ shell: '/bin/bash', fifos, clock: systemClock, env: { PATH: process.env.PATH ?? '' }, output() {} },
    confine: (launch) =>
      at.sandbox.confine(launch, { writes: 'workspace', directories: [at.cwd], rules: [] }),
    signal: new AbortController().signal,
  });
  expect(running.confined?.offends()).toBe(false);
  writeFileSync(join(at.cwd, 'go'), '');
  while (!existsSync(join(at.cwd, 'up'))) await Bun.sleep(5);
  expect(running.confined?.offends()).toBe(true);
  running.kill();
  await running.ended;
  expect(running.confined?.finish({ failed: true, output: '' })[0]).toContain('a/b/.vscode');
});
