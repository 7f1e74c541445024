// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the shell's
import { describe, expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

const gitTest = needs('git');

/** A repository with a credential file and a name with a blank, neither of them in `src` or `docs`. */
function openGround(names: readonly string[] = [], links: Readonly<Record<string, string>> = {}) {
  const top = resolveRealPath(temporaryDirectory().path);
  const cwd = join(top, 'repo');
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  put(join(top, 'out/far.txt'), 'canary\n');
  const usual = ['src/main.ts', 'src/deep/util.ts', 'docs/a.md', 'assets/my logo.png', '.env'];
  for (const name of [...usual, ...names]) put(join(cwd, name.replace('{top}', top)), 'text\n');
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(cwd, name));
  const run = (command: string) => spawnSync('bash', ['--norc', '-c', command], { cwd, encoding: 'utf8' });
  run(
    "git init -q -b main; printf '.env\\n' > .git/info/exclude; git add .; git -c user.name=a -c user.email=a@b commit -qm x",
  );
  const judgeLine = (command: string, more: Partial<Case> = {}) =>
    judge({
      accesses: [{ kind: 'shell', command, cwd }],
      workspace: { cwd, directories: [], realPath: resolveRealPath, look: lookAtFiles([cwd]) },
      ...more,
    }).behaviour;
  return { judgeLine, run };
}

const within = [
  'find src -type f | xargs wc -l',
  'find src/ ./docs/ -type f | xargs wc -l',
  "find src -name '*.ts' | xargs grep -n text",
  "find ./src docs -name '*.ts' | xargs grep -n text",
  "find src -name '*.ts' | sort | head -5 | xargs wc -l",
  'find src -type f -print0 | xargs -0 wc -l',
  "find src -name '*.ts' | xargs -I{} wc -l {}",
  'grep -rl text src | xargs wc -l',
  'grep -rl text src | xargs head -5',
  'rg -l text src | xargs wc -l',
  'rg --files src docs | xargs wc -l',
  'git ls-files src | xargs wc -l',
  'git ls-files -- src/deep docs | xargs wc -l',
  "wc -l $(find src -name '*.ts')",
  "cat $(find src -name '*.ts') | wc -l",
  'wc -l $(git ls-files src)',
  'for f in $(find src -type f); do wc -l "$f"; done',
  'find src -type f | while read -r f; do wc -l "$f"; done',
  'find src -type f | while read -r f; do sort "$f" | head -1; done',
];

const byName = [
  "find . -name '*.ts' | xargs grep -n text",
  "find . -type f -name '*.ts' -not -path './node_modules/*' | xargs wc -l",
  "grep -rl text --include='*.ts' . | xargs wc -l",
  "git ls-files '*.ts' | xargs wc -l",
  "wc -l $(git ls-files '*.ts' '*.md')",
];

describe('names that a search prints', () => {
  gitTest('are below the places where it starts: what else is in the workspace does not count', () => {
    const { judgeLine } = openGround();
    for (const command of within) {
      expect([command, judgeLine(command)]).toEqual([command, 'allow']);
      expect([command, judgeLine(command, { role: exploreRole })]).toEqual([command, 'allow']);
      expect([command, judgeLine(command, { deny: ['Read(assets/**)'] })]).toEqual([command, 'allow']);
    }
  });

  gitTest('end as the search says: a name of another kind does not count', () => {
    const { judgeLine } = openGround();
    for (const command of byName) expect([command, judgeLine(command)]).toEqual([command, 'allow']);
  });

  gitTest('are asked about where one in that place becomes several', () => {
    const { judgeLine } = openGround(['src/a b.ts']);
    const others = [
      'find assets | xargs cat',
      'find . -type f | xargs wc -l',
      "find . -name '*.png' | xargs cat",
    ];
    const kept = within.filter((command) => !/-print0|\bread\b|-I|src\/deep/.test(command));
    for (const command of [...kept, ...byName, ...others])
      expect([command, judgeLine(command)]).toEqual([command, 'ask']);
  });

  gitTest('are asked about where a directory on the way becomes several', () => {
    const { judgeLine, run } = openGround(['src/d {top}/out/far.txt']);
    for (const command of [
      'find src -name far.txt | xargs cat',
      'cat $(find src -type f)',
      'grep -rl text src | xargs cat',
      'git ls-files src | xargs cat',
      "find . -name '*.txt' | xargs cat",
    ]) {
      expect([command, run(command).stdout]).toEqual([command, expect.stringContaining('canary')]);
      expect([command, judgeLine(command)]).toEqual([command, 'ask']);
    }
  });

  gitTest('are asked about where the start is a link out, or has a blank itself', () => {
    const { judgeLine } = openGround(['in side/a.ts'], { far: '../out', 'far.md': '../out/far.txt' });
    for (const command of [
      'find far/ -type f | xargs cat',
      'find far.md | xargs cat',
      'find src far.md -type l | xargs cat',
      'grep -rl canary far | xargs cat',
      'rg -l canary far.md | xargs cat',
      "find 'in side' -type f | xargs cat",
      'find src/../far.md | xargs cat',
    ])
      expect([command, judgeLine(command)]).toEqual([command, 'ask']);
  });

  gitTest('may be options where a place behind -- begins with a dash', () => {
    const { judgeLine } = openGround(['-R']);
    for (const command of [
      'git ls-files -- src -R | xargs grep text',
      "grep text $(git ls-files -- '*.ts' -R)",
    ])
      expect([command, judgeLine(command)]).toEqual([command, 'ask']);
  });

  gitTest('lose a blank at their ends where read takes it away, and no other', () => {
    const loop = 'find src -type f | while read -r f; do wc -l "$f"; done';
    expect(openGround(['src/a b.ts']).judgeLine(loop)).toBe('allow');
    expect(openGround(['src/a.ts ']).judgeLine(loop)).toBe('ask');
    expect(openGround(['src/ a.ts']).judgeLine('ls src | while read -r f; do wc -l "$f"; done')).toBe('ask');
    expect(openGround(['src/a\\b.ts']).judgeLine(loop.replace(' -r', ''))).toBe('ask');
  });
});
