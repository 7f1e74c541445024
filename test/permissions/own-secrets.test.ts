// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the shell's
import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

/** A home with our own directory in it, and a workspace beside that; `away` leads to the home. */
function openGround() {
  const userHome = join(resolveRealPath(temporaryDirectory().path), 'home');
  const root = join(userHome, 'work');
  for (const name of [
    '.cadre/keys.json',
    '.cadre/remote/key.pem',
    '.cadre/remote/known-keys',
    '.cadre/outputs/1.txt',
    'work/src/a.ts',
    'work/linked/b.ts',
    'notes/c.md',
  ]) {
    mkdirSync(dirname(join(userHome, name)), { recursive: true });
    writeFileSync(join(userHome, name), 'text\n');
  }
  symlinkSync(userHome, join(root, 'linked/away'));
  const home = join(userHome, '.cadre');
  const judgeLine = (command: string, more: Partial<Case> = {}) => {
    const workspace = {
      cwd: root,
      directories: [],
      realPath: resolveRealPath,
      look: lookAtFiles([root]),
      userHome,
      home,
    };
    return judge({ accesses: [{ kind: 'shell', command, cwd: root }], workspace, ...more }).behaviour;
  };
  return Object.assign(judgeLine, { home });
}

const refused = [
  'grep -r x ~',
  'grep -rn x ~/.cadre',
  'grep -r x ..',
  'rg --hidden x ~',
  'rg x ~/.cadre',
  'git diff --no-index src ~/.cadre',
  'diff -r src ~/.cadre',
  'cat ~/.cadre/*',
  'cat ~/.cadre/k*',
  'cat ~/.c*/keys.json',
  'head -n1 ../.cadre/*.json',
  'find ~ -type f -exec cat {} +',
  'find ~ -name "*.json" -exec head {} \\;',
  'grep -R x linked',
  'cp -r ~/.cadre copy',
];

test('G9 no rule and no mode lets a search come across our own keys', () => {
  const judgeLine = openGround();
  const allow = ['grep', 'rg', 'git', 'diff', 'cat', 'head', 'find', 'cp', 'xargs'].map(
    (name) => `Bash(${name}:*)`,
  );
  for (const line of refused) {
    expect([line, judgeLine(line, { allow })]).toEqual([line, 'deny']);
    expect([line, judgeLine(line, { mode: 'bypassPermissions' })]).toEqual([line, 'deny']);
    expect([line, judgeLine(line)]).toEqual([line, 'deny']);
  }
});

test('other places are allowed by a rule as before', () => {
  const judgeLine = openGround();
  const free = [
    'grep -r x ~/notes',
    'grep -r x .',
    'rg x ~',
    'cat ~/notes/*',
    'grep -r x ~/.cadre/outputs',
    'ls ~',
  ];
  const allow = ['Bash(grep:*)', 'Bash(rg:*)', 'Bash(cat:*)', 'Bash(ls:*)', 'Bash(find:*)'];
  for (const line of [...free, 'find ~ -name "*.md"'])
    expect([line, judgeLine(line, { allow })]).toEqual([line, 'allow']);
});

const keysOfRemoteJobs = [
  'cat ~/.cadre/remote/key.pem',
  'cp ~/.cadre/remote/key.pem copy',
  'cat ~/.cadre/remote/*',
  'cat ~/.cadre/remote/k*',
  'cat ~/.cadre/$x.pem',
  'cd ~/.cadre/remote && cat key.pem',
  'cd ~/.cadre && cat remote/key.pem',
  'tar cf - -C ~/.cadre remote/known-keys',
  'grep -r x ~/.cadre/remote',
  'echo key >> ~/.cadre/remote/known-keys',
];

test('G9 the key that signs remote jobs and the list of known keys are our own keys', () => {
  const judgeLine = openGround();
  const allow = ['cat', 'cp', 'cd', 'tar', 'grep', 'echo'].map((name) => `Bash(${name}:*)`);
  for (const line of keysOfRemoteJobs) {
    expect([line, judgeLine(line, { allow })]).toEqual([line, 'deny']);
    expect([line, judgeLine(line, { mode: 'bypassPermissions' })]).toEqual([line, 'deny']);
  }
  for (const path of ['remote/key.pem', 'remote/known-keys', 'remote']) {
    for (const kind of ['read', 'write'] as const) {
      const accesses = [{ kind, path: join(judgeLine.home, path) }];
      const found = judgeLine('', { accesses, mode: 'bypassPermissions' });
      expect([path, kind, found]).toEqual([path, kind, 'deny']);
    }
  }
});

/** No word of the command is computed, only what the shell opens for it. */
const redirected = [
  'cat < ~/.cadre/${x}.json',
  'cat < ~/.cad${x}re/keys.json',
  'cat < "$HOME/.cad${x}re/keys.json"',
  'cat 3< ~/.cadre/$x <&3',
  'sort <> ~/.cadre/key${x}s.json',
  'echo x > ~/.cad${x}re/trust.json',
  'echo x >> ~/.cadre/tru$(true)st.json',
  '{ cat; } < ~/.cadre/${x}.json',
  'while read -r l; do echo "$l"; done < ~/.cadre/${x}.json',
  'echo "$(< ~/.cadre/${x}.json)"',
  'python3 - < ~/.cadre/${x}.json',
  'cat < /proc/$PPID/environ',
  "tr '\\0' '\\n' < /proc/$PPID/environ",
  'strings < /proc/$$/task/$$/environ',
  'for p in 1 2; do cat < /proc/$p/environ; done',
  'cd ~ && cat .cad${x}re/keys.json',
  'cd ~ && cat < .cad${x}re/keys.json',
];

test('G9 our own keys are not opened by a redirection or a relative path with a computed part', () => {
  const judgeLine = openGround();
  for (const line of redirected)
    expect([line, judgeLine(line, { mode: 'bypassPermissions' })]).toEqual([line, 'deny']);
});

test('other computed redirections are allowed where nothing is asked', () => {
  const judgeLine = openGround();
  for (const line of [
    'cat < "$x"',
    'cat < src/$x.ts',
    'echo x > "out/$n.txt"',
    'echo x > ~/notes/$n.md',
    'sort < /proc/$PPID/status',
    'cd ~ && cat notes/$x',
    'for f in ~/notes/$x/*; do cat "$f"; done',
    'while read -r l; do echo "$l"; done < "$f"',
  ])
    expect([line, judgeLine(line, { mode: 'bypassPermissions' })]).toEqual([line, 'allow']);
});

test('remotes of git are not taken for our own keys', () => {
  const judgeLine = openGround();
  for (const line of ['ls .cadre && git remote -v', 'git remote -v', 'cat src/remote/key.pem.md'])
    expect([line, judgeLine(line, { mode: 'bypassPermissions' })]).toEqual([line, 'allow']);
});
