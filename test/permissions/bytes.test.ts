import { expect, test } from 'bun:test';
import { execFileSync, spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { openRealPaths, resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

/** One character for each byte: a name as the kernel has it, whatever it is in text. */
function bytes(path: string): Buffer {
  return Buffer.from(path, 'latin1');
}

/** A workspace with names that are not UTF-8: links in `d`, `e` and `deep`, plain files in `old` and `far`. */
function ground(more: (root: string, outside: string) => void = () => {}) {
  const top = resolveRealPath(temporaryDirectory().path);
  const [root, outside] = [join(top, 'work'), join(top, 'outside')];
  for (const path of [
    'd',
    'e',
    'deep',
    'old',
    'plain',
    'two',
    'far/inner',
    '.git/hooks',
    '.git/objects',
    '.git/refs',
  ])
    mkdirSync(join(root, path), { recursive: true });
  mkdirSync(join(outside, 'inner'), { recursive: true });
  writeFileSync(join(outside, 'secret.txt'), 'canary\n');
  writeFileSync(join(outside, 'inner/secret.txt'), 'canary\n');
  writeFileSync(join(root, 'plain/a.txt'), 'plain\n');
  writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
  symlinkSync('../../outside/secret.txt', bytes(`${root}/d/o\xff`));
  symlinkSync('../../outside', bytes(`${root}/e/o\xff`));
  mkdirSync(bytes(`${root}/deep/s\xff`));
  symlinkSync('../../../outside/secret.txt', bytes(`${root}/deep/s\xff/link`));
  writeFileSync(bytes(`${root}/old/Jos\xe9.txt`), 'plain\n');
  symlinkSync('../../outside/secret.txt', join(root, 'two/é'));
  more(root, outside);
  const on = (command: string, given: Partial<Case> = {}) => {
    const workspace = { cwd: root, directories: [], realPath: openRealPaths(), look: lookAtFiles([root]) };
    return judge({ accesses: [{ kind: 'shell', command, cwd: root }], workspace, ...given });
  };
  return { root, outside, on };
}

const leads = [
  'cat d/*',
  'cat d/o?',
  "cat $'d/o\\xff'",
  "cat $'d/o\\377'",
  "cat d/$'o\\xff'",
  'f=$\'d/o\\xff\'; cat "$f"',
  'for f in d/*; do cat "$f"; done',
  'find d -exec cat {} +',
  'find d -type l | xargs cat',
  'ls d | head -1 | xargs -I{} cat d/{}',
  'cat e/*/secret.txt',
  'cat e/*/*',
  'ls e/*',
  'ls -R e/*',
  'ls -LR e',
  'grep -R canary e',
  'grep -R canary deep',
  'find -L e -name secret.txt -exec cat {} +',
  'find deep -name link -exec cat {} +',
  'cat deep/*/link',
  'cat deep/s*/*',
  'diff -r e plain',
  'tree -l e',
  'wc -c d/*',
  'cd e && cat */secret.txt',
  "cd $'e/o\\xff' && cat secret.txt",
  "cat $'e/o\\xff/secret.txt'",
];

test('a name that is not UTF-8 cannot be told: what may read through it is asked about', () => {
  const { on } = ground();
  for (const command of leads) expect([command, on(command).behaviour]).toEqual([command, 'ask']);
  expect(on('cat d/*').reason).toContain('not valid UTF-8');
});

test('each of them reads what is outside when it runs', () => {
  const { root } = ground();
  const prints = leads.filter((command) => /\b(?:cat|grep)\b/.test(command));
  for (const command of prints) {
    const { stdout } = spawnSync('bash', ['-c', command], { cwd: root, encoding: 'utf8' });
    expect([command, stdout.includes('canary')]).toEqual([command, true]);
  }
});

test('the same for what writes', () => {
  const { on } = ground((root) => {
    symlinkSync('../.git/hooks', bytes(`${root}/plain/h\xff`));
    symlinkSync('n\xff/../../x'.replace('\xff', 'n'), join(root, 'plain/dangling'));
    symlinkSync(bytes('q\xff/../new'), join(root, 'away'));
    symlinkSync('../outside/inner', bytes(`${root}/q\xff`));
  });
  const writes = [
    "echo x > $'d/o\\xff'",
    "echo x > $'plain/h\\xff/pre-commit'",
    'echo x > plain/h*/pre-commit',
    'echo x | tee plain/h?/pre-commit',
    "cp plain/a.txt $'e/o\\xff/new'",
    "cd $'e/o\\xff' && touch new",
    "mkdir $'e/o\\xff/new'",
    // Where the link leads hangs on a name that cannot be told.
    'echo x > away',
    'touch away',
    'cp -r deep plain/copy',
    'mv deep plain/moved',
  ];
  for (const command of writes)
    expect([command, on(command, { mode: 'acceptEdits' }).behaviour]).toEqual([command, 'ask']);
});

test('one odd name somewhere costs no question where a line does not touch it', () => {
  const { on } = ground();
  const free = [
    'ls',
    'ls *',
    'ls old',
    'ls -la old',
    'ls -R old',
    'cat plain/*',
    'cat p*/a.txt',
    'grep -r plain .',
    'grep -rn plain old',
    'rg plain',
    'find . -name a.txt',
    'find . -type f | head',
    "find . -name '*.txt'",
    'wc -l plain/*.txt',
    'echo old/*',
    'tree',
    'du -sh .',
    'git status',
    "grep -r $'\\xff' plain",
    "echo $'\\xff'",
    "printf $'caf\\xc3\\xa9\\n'",
    "sed -n $'1p\\n2p' plain/a.txt",
    "grep -c $'\\t' plain/a.txt",
    "cat $'plain/\\x61.txt'",
  ];
  for (const command of free) expect([command, on(command).behaviour]).toEqual([command, 'allow']);
});

test('? and [!a] count bytes in some shells and languages, so that two of them take one letter', () => {
  const { on } = ground((root) => {
    writeFileSync(join(root, 'old/ß.txt'), '');
    symlinkSync('../../outside/secret.txt', join(root, 'far/日'));
    symlinkSync('../../outside/secret.txt', join(root, 'far/inner/e\u0301x'));
  });
  const asked = [
    'cat two/??',
    'cat two/?',
    'cat two/[!a][!a]',
    'cat two/[!a]',
    'cat two/[^a]?',
    'cat two/[é]',
    'cat two/[é][é]',
    "sh -c 'cat two/??'",
    "sh -c 'cat two/[!a][!b]'",
    'cat two/[[:print:]]*',
    'cat two/[a-z]*',
    'cat far/???',
    'cat far/inner/?x',
    'cat far/inner/????',
    "find two -name '??' -exec cat {} +",
    'cat two/é',
  ];
  for (const command of asked) expect([command, on(command).behaviour]).toEqual([command, 'ask']);
  for (const command of ['cat plain/?.txt', 'cat plain/[!b].txt', 'cat plain/[a].*'])
    expect([command, on(command).behaviour]).toEqual([command, 'allow']);
});

test('dash and a bash in the C locale do read them', () => {
  const { root } = ground();
  const run = (shell: string, env: Record<string, string>) =>
    spawnSync(shell, ['-c', 'cat two/??'], { cwd: root, env: { PATH: '/usr/bin:/bin', ...env } });
  expect(run('dash', { LC_ALL: 'C.UTF-8' }).stdout.toString()).toBe('canary\n');
  expect(run('bash', { LC_ALL: 'C' }).stdout.toString()).toBe('canary\n');
});

test('a rule that refuses a name with other letters holds against patterns that count bytes', () => {
  const { on } = ground();
  for (const command of ['cat two/??', 'cat two/[!a][!b]', "find two -name '??' -exec cat {} +"])
    expect([command, on(command, { deny: ['Read(two/é)'] }).behaviour]).not.toEqual([command, 'allow']);
});

test('escapes that shells read in different ways are computed', () => {
  const { root, on } = ground((top) => writeFileSync(join(top, '.env'), 'TOKEN=canary\n'));
  const lines = [
    "cat $'\\x{2e}env'",
    "cat $'\\x{2e'env",
    "cat $'\\x{2f}etc/passwd'",
    "cat $'two/\\u00e9'",
    "cat $'two/\\xc3\\xa9'",
    "cat $'two/\\xc3'$'\\xa9'",
  ];
  for (const command of lines) {
    expect([command, on(command).behaviour]).toEqual([command, 'ask']);
    const { status } = spawnSync('bash', ['-c', command], { cwd: root, env: { LC_ALL: 'C.UTF-8' } });
    expect([command, status]).toEqual([command, 0]);
  }
  for (const command of ["cat $'\\ud83d\\ude00'", "cat $'\\cé'", "cat $'plain/\\ca'"])
    expect([command, on(command).behaviour]).toEqual([command, 'ask']);
});

test('a program that tries other names than the one it is given may read those', () => {
  const { on } = ground((root) => {
    for (const name of ['k.zip', 'l.ZIP', 'm.zip.zip', 'n.gz.Z'])
      symlinkSync('../outside/secret.txt', join(root, name));
    for (const name of ['m.zip', 'n.gz', 'fine.zip', 'fine.gz']) writeFileSync(join(root, name), '');
  });
  for (const command of ['unzip -l k', 'unzip -Z l', 'zipinfo k', 'unzip -v m.zip', 'zcat n.gz'])
    expect([command, on(command).behaviour]).toEqual([command, 'ask']);
  for (const command of ['unzip -l fine.zip', 'zipinfo fine', 'zcat fine.gz', 'unzip -l nothing'])
    expect([command, on(command).behaviour]).toEqual([command, 'allow']);
});

test('a bracket or a negation that quotes or backslashes make plain is what the shell takes it for', () => {
  const { root, on } = ground((top) => {
    for (const name of ['[a]x', '!l', 'lx', 'm-']) symlinkSync('../outside/secret.txt', join(top, name));
  });
  const lines = ['cat \\[a\\]*', 'cat ["!"l]x', "cat ['!'l]l", 'cat ["^"l]x', 'cat m["-"]', 'cat [l"-"m]-'];
  for (const command of lines) {
    expect([command, on(command).behaviour]).toEqual([command, 'ask']);
    const { stdout } = spawnSync('bash', ['-c', command], { cwd: root, encoding: 'utf8' });
    expect([command, stdout]).toEqual([command, 'canary\n']);
  }
});

test('a pattern that matches nothing is a name itself', () => {
  const { root, on } = ground((top) => {
    symlinkSync('../outside/secret.txt', join(top, '[x]'));
    symlinkSync('../outside', join(top, 'd[x]'));
  });
  const lines = ['cat [x]', 'cat d[x]/secret.txt', 'f=[x]; cat $f', 'cat [x]""', "sh -c 'cat [x]'"];
  for (const command of lines) {
    expect([command, on(command).behaviour]).toEqual([command, 'ask']);
    const { stdout } = spawnSync('bash', ['-c', command], { cwd: root, encoding: 'utf8' });
    expect([command, stdout]).toEqual([command, 'canary\n']);
  }
});

test('a directory that a pattern passes through is listed', () => {
  const { on } = ground((root) => symlinkSync('../outside', join(root, 'leads')));
  for (const command of [
    'echo lead?/*',
    'echo e/*/*',
    'ls -d l*/*',
    'echo l*/inner/*',
    'printf "%s" e/o?/s*',
  ])
    expect([command, on(command).behaviour]).toEqual([command, 'ask']);
  for (const command of ['ls -d */', 'echo p*/*', 'echo *', 'ls -d plain/*', 'echo e/*', 'echo d/*'])
    expect([command, on(command).behaviour]).toEqual([command, 'allow']);
});

test('of many names that find hands over the first may be a pattern, and the others files', () => {
  const { on } = ground();
  expect(on('find d -exec grep {} +').behaviour).toBe('ask');
  const clean = ground((root) => rmSync(join(root, 'd'), { recursive: true }));
  for (const name of ['e', 'deep', 'two']) rmSync(join(clean.root, name), { recursive: true });
  for (const command of ['find . -exec wc -l {} +', 'find . -exec grep -n x {} +', 'find . -exec cat {} +'])
    expect([command, clean.on(command).behaviour]).toEqual([command, 'allow']);
});

test('a path that is too long to be looked at may still be reached step by step', () => {
  const { root, outside, on } = ground();
  const enough = 4092 - Buffer.byteLength(root) - 1;
  const place = `${'m'.repeat(200)}/`.repeat(Math.floor(enough / 201));
  const inner = join(root, place, 'z'.repeat(enough - place.length));
  mkdirSync(join(inner), { recursive: true });
  execFileSync('ln', ['-s', join(outside, 'secret.txt'), 'link'], { cwd: inner });
  execFileSync('mkdir', ['deeper'], { cwd: inner });
  const lines = [
    'cat link',
    'cat l*',
    'for f in *; do cat "$f"; done',
    'find . -exec cat {} +',
    'grep -R x .',
  ];
  for (const line of lines) {
    const { stdout } = spawnSync('bash', ['-c', line], { cwd: inner, encoding: 'utf8' });
    expect([line, line.startsWith('grep') || stdout.includes('canary')]).toEqual([line, true]);
    expect([line, on(`cd ${inner} && ${line}`).behaviour]).toEqual([line, 'ask']);
  }
  expect(on(`cd ${inner} && touch link`, { mode: 'acceptEdits' }).behaviour).toBe('ask');
});

test('where a here-document ends is told only by plain words', () => {
  const { root, on } = ground();
  const line = "cat <<$'\\x{45}'\nplain\nE\ncat ../outside/secret.txt\n";
  expect(spawnSync('bash', ['-c', line], { cwd: root, encoding: 'utf8' }).stdout).toBe('plain\ncanary\n');
  expect(on(line).behaviour).toBe('ask');
  for (const end of ['E', "'E'", '"END-1"', '\\E'])
    expect(on(`cat <<${end}\ntext\n${end.replace(/['"\\]/g, '')}\n`).behaviour).toBe('allow');
});

test('what a search leaves out is left out in that case only', () => {
  const { on } = ground((root) => writeFileSync(join(root, 'plain/.env'), 'TOKEN=canary\n'));
  const explore = (command: string) => on(command, { role: exploreRole }).behaviour;
  expect(explore('grep -r TOKEN --exclude=.env plain')).toBe('allow');
  expect(explore('grep -r TOKEN --exclude=.ENV plain')).not.toBe('allow');
});

test('credentials in a directory whose name is not UTF-8 are seen', () => {
  const { on } = ground((root) => {
    mkdirSync(bytes(`${root}/old/c\xff`));
    writeFileSync(bytes(`${root}/old/c\xff/.env`), 'TOKEN=canary\n');
    linkSync(bytes(`${root}/old/c\xff/.env`), join(root, 'plain/other'));
  });
  for (const command of ['grep -r TOKEN old', 'cat plain/other', 'cat plain/*', 'grep -r TOKEN plain'])
    expect([command, on(command, { role: exploreRole }).behaviour]).not.toEqual([command, 'allow']);
});

needs('git')('a directory that git keeps under such a name, and that is a link by now', () => {
  const { root, on } = ground();
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: root,
      stdio: 'ignore',
    });
  git('init', '-q');
  mkdirSync(bytes(`${root}/k\xff`));
  writeFileSync(bytes(`${root}/k\xff/secret.txt`), 'kept\n');
  git('add', '.');
  git('commit', '-qm', 'first');
  expect(on('git grep canary').behaviour).toBe('allow');
  execFileSync('bash', ['-c', "mv $'k\\xff' gone && ln -s ../outside $'k\\xff'"], { cwd: root });
  expect(on('git grep canary').behaviour).toBe('ask');
});
