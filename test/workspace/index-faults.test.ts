import { describe, expect } from 'bun:test';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { judgeIndex } from '../../src/workspace/git/index-faults.ts';
import { craftIndex, rememberTrees } from '../support/crafted-index.ts';
import { needs, temporaryDirectory } from '../support/index.ts';

const test = needs('git');

const isMisleading = (index: Buffer) => judgeIndex(index).isMisleading;

function openGround(...init: string[]) {
  const root = temporaryDirectory().path;
  const put = (name: string, text = `${name}\n`) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', GIT_EDITOR: 'true' };
  const words = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  const git = (...args: string[]) =>
    execFileSync('git', [...words, ...args], { cwd: root, env, stdio: 'pipe', encoding: 'utf8' }).trim();
  /** Git may fail, as in a conflict. */
  const tryGit = (...args: string[]) => void spawnSync('git', [...words, ...args], { cwd: root, env });
  git('init', '-q', '-b', 'main', ...init);
  for (const name of ['a.txt', 'a/b/c.txt', 'a/b.txt', 'a-b/x', '.github/workflows/ci.yml', 'z']) put(name);
  git('add', '-A');
  git('commit', '-qm', 'first');
  return {
    root,
    put,
    git,
    tryGit,
    isMisleading: () => isMisleading(readFileSync(join(root, '.git/index'))),
  };
}

describe('an index that git itself writes is none that misleads it', () => {
  const steps: Record<string, (ground: ReturnType<typeof openGround>) => void> = {
    'after a commit': () => {},
    'after a change that is staged': ({ put, git }) => {
      put('a/b/c.txt', 'other');
      git('add', '-A');
    },
    'with odd names, links and programs': ({ root, put, git }) => {
      for (const name of ['.gitignore', '..x', 'x..', '.git1', 'ä/ö', 'a b', 'q"q', '...']) put(name);
      symlinkSync('/etc', join(root, 'link'));
      git('add', '-A');
      git('update-index', '--chmod=+x', 'z');
      git('commit', '-qm', 'odd');
    },
    'after a directory is removed': ({ git }) => void git('rm', '-qr', 'a'),
    'with a file that is only named': ({ put, git }) => {
      put('a/later');
      git('add', '--intent-to-add', 'a/later');
      git('commit', '-q', '--allow-empty', '-m', 'named');
    },
    'in a conflict, and when it is resolved': ({ put, git, tryGit }) => {
      git('checkout', '-qb', 'side');
      put('a/b/c.txt', 'side');
      git('commit', '-qam', 'side');
      git('checkout', '-q', 'main');
      put('a/b/c.txt', 'main');
      git('commit', '-qam', 'main');
      tryGit('merge', 'side');
    },
    'in a rebase that stops': ({ put, git, tryGit }) => {
      git('checkout', '-qb', 'side');
      put('.github/workflows/ci.yml', 'side');
      git('commit', '-qam', 'side');
      git('checkout', '-q', 'main');
      put('.github/workflows/ci.yml', 'main');
      git('commit', '-qam', 'main');
      tryGit('rebase', 'main', 'side');
    },
    'when a stash is applied': ({ put, git }) => {
      put('a/b.txt', 'stashed');
      git('stash');
      git('stash', 'pop', '--index');
    },
    'when it is read from a tree': ({ git }) => void git('read-tree', 'HEAD'),
    'in the fourth format': ({ git }) => void git('update-index', '--index-version', '4'),
    'in two parts': ({ put, git }) => {
      git('update-index', '--split-index');
      put('a/b/new');
      git('add', '-A');
    },
    'of a sparse checkout': ({ git }) =>
      void git('sparse-checkout', 'set', '--cone', '--sparse-index', 'a-b'),
    'with a submodule': ({ git }) => {
      const library = openGround();
      git('submodule', 'add', '-q', library.root, 'deep/sub');
      git('commit', '-qm', 'with a submodule');
    },
  };
  for (const [when, step] of Object.entries(steps))
    test(when, () => {
      const ground = openGround();
      step(ground);
      ground.tryGit('status');
      expect(ground.isMisleading()).toBe(false);
    });

  test('with longer ids', () => {
    const ground = openGround('--object-format=sha256');
    ground.git('status');
    expect(ground.isMisleading()).toBe(false);
  });
});

describe('an index that misleads git', () => {
  const id = 'ce013625030ba8dba906f756967f9e9ca394464a';
  for (const name of [
    '../x',
    '/etc/x',
    'a/../../x',
    '.git/hooks/pre-commit',
    'a/.GIT/config',
    'a//b',
    './a',
    'a/',
  ])
    test(`names ${name}`, () => {
      expect(
        isMisleading(
          craftIndex([
            { name: 'a.txt', id },
            { name, id },
          ]),
        ),
      ).toBe(true);
    });

  test('remembers a tree with more in it than its entries', () => {
    const { git } = openGround();
    const entries = git('ls-files', '--stage')
      .split('\n')
      .map((line) => ({ name: line.split('\t')[1] ?? '', id: line.split(' ')[1] ?? '' }));
    const [own, other] = [git('rev-parse', 'HEAD:.github'), git('rev-parse', 'HEAD:a')];
    const remembering = (github: string) =>
      craftIndex(entries, rememberTrees({ name: '', below: [{ name: '.github', id: github }] }));
    expect([own, other].map((one) => isMisleading(remembering(one)))).toEqual([false, true]);
  });

  test('has entries in another file, and its own entry leads out', () => {
    const link = Buffer.concat([Buffer.from('link\0\0\0\x14', 'latin1'), Buffer.alloc(20, 1)]);
    expect(isMisleading(craftIndex([{ name: '', id }], link))).toBe(false);
    expect(isMisleading(craftIndex([{ name: '../x', id }], link))).toBe(true);
  });
});
