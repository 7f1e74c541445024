import { describe, expect, test } from 'bun:test';
import { exploreRole } from '../../src/permissions/roles.ts';
import { emptyLook, type Look } from '../../src/places/look.ts';
import { builtins } from '../../src/shell/tables/builtins.data.ts';
import { fileTools } from '../../src/shell/tables/file-tools.data.ts';
import { gitCommands, gitListings } from '../../src/shell/tables/git.data.ts';
import { textTools } from '../../src/shell/tables/text-tools.data.ts';
import { viewingTools } from '../../src/shell/tables/viewing-tools.data.ts';
import { judge, shell } from './cases.ts';

const verdict = (command: string) => judge({ accesses: [shell(command)], role: exploreRole }).behaviour;

/** How each entry is used, where its bare name is not enough; and what must not pass with it. */
const examples: Record<string, string> = {
  mktemp: 'mktemp -u',
  kill: 'kill -l',
  grep: 'grep -rn x .',
  egrep: 'egrep x a',
  fgrep: 'fgrep x a',
  rg: 'rg -n x src',
  fd: 'fd -e ts',
  stat: 'stat a',
  file: 'file a',
  printenv: 'printenv PATH',
  basename: 'basename a/b',
  dirname: 'dirname a/b',
  realpath: 'realpath a',
  readlink: 'readlink -f a',
  tr: 'tr a b',
  join: 'join a b',
  comm: 'comm -12 a b',
  diff: 'diff -u a b',
  cmp: 'cmp a b',
  cut: 'cut -d, -f1 a',
  jq: 'jq .a x.json',
  yq: 'yq .a x.yml',
  awk: "awk '{print $1}' a",
  gawk: "gawk '{print $1}' a",
  mawk: "mawk '{print $1}' a",
  less: 'less -FRX a',
  more: 'more a',
  diff3: 'diff3 a b c',
  iconv: 'iconv -f latin1 -t utf-8 a',
  tput: 'tput cols',
  stty: 'stty size',
  ip: 'ip addr',
  netstat: 'netstat -tln',
  dpkg: 'dpkg -l',
  sed: "sed -n '1,5p' a",
  tar: 'tar -tzf a.tgz',
  unzip: 'unzip -l a.zip',
  zipinfo: 'zipinfo a.zip',
  gzip: 'gzip -l a.gz',
  gunzip: 'gunzip -c a.gz',
  zcat: 'zcat a.gz',
  bzip2: 'bzip2 -dc a.bz2',
  bunzip2: 'bunzip2 -c a.bz2',
  xz: 'xz -dc a.xz',
  unxz: 'unxz -c a.xz',
  xxd: 'xxd a',
  strings: 'strings a',
  date: 'date +%s',
  ps: 'ps aux',
  pgrep: 'pgrep -f node',
  seq: 'seq 3',
  expr: 'expr 1 + 1',
  read: 'read -r x',
  set: 'set -e',
  getconf: 'getconf PAGE_SIZE',
  which: 'which node',
  type: 'type git',
  sleep: 'sleep 1',
  cd: 'cd src',
  paste: 'paste a b',
};

const refused: Record<string, string> = {
  sort: 'sort -o x y',
  uniq: 'uniq a b',
  xxd: 'xxd -r a',
  date: 'date -s x',
  hostname: 'hostname x',
  rg: 'rg --pre x y',
  tree: 'tree -o x',
  file: 'file -C',
  fd: 'fd -x rm',
  sed: "sed 'w x' y",
  awk: 'awk \'{print > "x"}\'',
  gawk: "gawk 'BEGIN{system(1)}'",
  mawk: "mawk 'BEGIN{system(1)}'",
  less: 'less -o x a',
  more: 'more +/x a',
  shuf: 'shuf -o x a',
  diff3: 'diff3 --diff-program=x a b c',
  iconv: 'iconv -f ./x a',
  tput: 'tput init',
  stty: 'stty raw',
  mount: 'mount -a',
  umask: 'umask 0',
  ulimit: 'ulimit -n 1',
  who: 'who x',
  ip: 'ip addr flush',
  netstat: 'netstat -t',
  dpkg: 'dpkg -i x.deb',
  tar: 'tar -xf a.tar',
  unzip: 'unzip a.zip',
  gzip: 'gzip a',
  jq: 'jq env',
  yq: 'yq -i .a x',
  ps: 'ps auxe',
  set: 'set',
  read: 'read PATH',
  cat: 'cat /etc/passwd',
  ls: 'ls /etc',
  find: 'find . -delete',
  echo: 'echo $SECRET',
  cd: 'cd /etc',
};

describe('every tool that is known has a reason, a use and a limit', () => {
  for (const [name, spec] of Object.entries({ ...fileTools, ...textTools, ...viewingTools, ...builtins })) {
    const example = examples[name] ?? name;
    test(`${name}: ${spec.why}`, () => {
      expect(spec.why.length).toBeGreaterThan(5);
      expect([example, verdict(example)]).toEqual([example, 'allow']);
      const wrong = refused[name] ?? `${name} --no-such-option x`;
      // What has no harmful option takes any word for text.
      const takesAnything = spec.inert && spec.operands === 'text' && refused[name] === undefined;
      if (!takesAnything) expect([wrong, verdict(wrong)]).not.toEqual([wrong, 'allow']);
    });
  }
});

const gitExamples: Record<string, string> = {
  clean: 'clean -n',
  blame: 'blame a',
  annotate: 'annotate a',
  'cat-file': 'cat-file -p HEAD',
  'check-attr': 'check-attr -a a',
  var: 'var GIT_AUTHOR_IDENT',
  config: 'config --get user.name',
  stash: 'stash list',
  worktree: 'worktree list',
  bundle: 'bundle verify x',
  notes: 'notes list',
  remote: 'remote -v',
  branch: 'branch -a',
  tag: 'tag -l',
  grep: 'grep x',
  'symbolic-ref': 'symbolic-ref HEAD',
};

describe('every git command that is known', () => {
  for (const [name, spec] of Object.entries({ ...gitCommands, ...gitListings })) {
    const example = `git ${gitExamples[name] ?? name}`;
    test(`${example}: ${spec.why}`, () => {
      const decision = judge({ accesses: [shell(example)], role: exploreRole });
      expect(decision).toMatchObject({ behaviour: 'allow', neutralise: { git: ['/repo'] } });
      for (const wrong of [
        '--output=x',
        '--ext-diff',
        '--textconv',
        '--exec=x',
        '--upload-pack=x',
        '--no-such-option',
      ])
        expect([wrong, verdict(`${example} ${wrong}`)]).toEqual([wrong, 'deny']);
      expect(verdict(`git -c core.pager=x ${example.slice(4)}`)).toBe('deny');
    });
  }
});

describe('PE6 what a command reads is judged as Read is', () => {
  const cases: [command: string, deny: string[], expected: string][] = [
    ['cat .env', ['Read(.env)'], 'deny'],
    ['head -3 sub/.env', ['Read(.env)'], 'deny'],
    ['cat < .env', ['Read(.env)'], 'deny'],
    ['grep x .env', ['Read(.env)'], 'deny'],
    ['cd sub && cat .env', ['Read(.env)'], 'deny'],
    ['f=.env; cat "$f"', ['Read(.env)'], 'deny'],
    ['timeout 5 cat .env', ['Read(.env)'], 'deny'],
    ["bash -c 'cat .env'", ['Read(.env)'], 'deny'],
    ['find . -name x -exec cat .env +', ['Read(.env)'], 'deny'],
    ['cat *', ['Read(.env)'], 'allow'],
    ['git ls-files | xargs cat', ['Read(.env)'], 'allow'],
    ['ls -la', ['Read(.env)'], 'allow'],
    ['cd secret', ['Read(secret/**)'], 'allow'],
    ['cd secret && cat key', ['Read(secret/**)'], 'deny'],
    ['find . -name .env', ['Read(.env)'], 'allow'],
    ['cat a.ts', ['Read(.env)'], 'allow'],
    ['cat /home/u/.cadre/keys.json', [], 'deny'],
    ['cat ~/.cadre/keys.json', [], 'deny'],
    ['echo x > secret/a', ['Edit(secret/**)'], 'deny'],
    ['cp a secret/b', ['Edit(secret/**)'], 'deny'],
    ['rm secret/b', ['Edit(secret/**)'], 'deny'],
  ];
  for (const [command, deny, expected] of cases)
    test(`${command} under ${deny.join() || 'no rule'}: ${expected}`, () => {
      expect(judge({ accesses: [shell(command)], deny }).behaviour).toBe(expected as 'allow');
    });

  for (const [command, deny] of [
    ['cat .e*', 'Read(.env)'],
    ['cat *', 'Read(secret)'],
    ['grep -r x .', 'Read(.env)'],
    ['rg --hidden x', 'Read(.env)'],
  ] as const)
    test(`${command} under ${deny}: refused where such a file is there, free where it is not`, () => {
      const files = ['/repo/.env', '/repo/secret'];
      const workspace = (look: Look) => ({
        cwd: '/repo',
        directories: [],
        realPath: (path: string) => path,
        look,
      });
      const full = {
        ...emptyLook,
        held: () => ['.env', 'secret'],
        expand: () => files,
        isDirectory: () => true,
      };
      const on = (look: Look) =>
        judge({ accesses: [shell(command)], deny: [deny], workspace: workspace(look) });
      expect(on(full).behaviour).not.toBe('allow');
      expect(on(emptyLook).behaviour).toBe('allow');
    });

  test('a deny rule on a file holds under a grant to the command, and under bypass', () => {
    const one = { accesses: [shell('cat .env')], deny: ['Read(.env)'] };
    expect(judge({ ...one, allow: ['Bash'] }).behaviour).toBe('deny');
    expect(judge({ ...one, allow: ['Bash(cat *)'] }).behaviour).toBe('deny');
    expect(judge({ ...one, mode: 'bypassPermissions' }).behaviour).toBe('deny');
  });

  test('protected paths are asked about under any grant but bypass', () => {
    for (const command of [
      'echo x > .git/config',
      'cp x .git/hooks/pre-commit',
      'tee .npmrc',
      "bash -c 'echo x >> .claude/settings.json'",
    ]) {
      expect([command, judge({ accesses: [shell(command)], allow: ['Bash', 'Edit'] }).behaviour]).toEqual([
        command,
        'ask',
      ]);
      expect([command, judge({ accesses: [shell(command)], mode: 'bypassPermissions' }).behaviour]).toEqual([
        command,
        'allow',
      ]);
    }
  });

  test('removing what everything stands on is asked about even under bypass', () => {
    for (const command of [
      'rm -rf /',
      'rm -rf ~',
      'rm -rf .',
      'rm -rf ..',
      'rm -rf /usr',
      'rm -rf /repo',
      'rm -rf *',
      'rmdir /home/u',
    ])
      expect([
        command,
        judge({ accesses: [shell(command)], allow: ['Bash'], mode: 'bypassPermissions' }).behaviour,
      ]).toEqual([command, 'ask']);
  });
});
