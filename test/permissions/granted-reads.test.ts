import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { fileTools } from '../../src/shell/tables/file-tools.data.ts';
import { textTools } from '../../src/shell/tables/text-tools.data.ts';
import { tarWriter } from '../../src/shell/tables/transfers.data.ts';
import { writers } from '../../src/shell/tables/writers.data.ts';
import { openReadingGround } from './reading-ground.ts';

const deny = ['Read(hush.txt)'];

/** Each comes across a file that it does not name, by an option that is abbreviated, joined, or seldom used. */
const walking = [
  ...[
    'grep -d recurse t .',
    'grep -d rec t .',
    'grep -drecurse t .',
    'grep --dir=rec t .',
    'grep --directories recurse t .',
  ],
  ...[
    'grep --recurs t .',
    'grep --dereference-rec t .',
    'egrep -d recurse t .',
    'fgrep --recurs t .',
    'grep -nHd recurse t',
  ],
  ...[
    'tar --new -cf /tmp/x .',
    'rsync -aX . /tmp/x',
    'zip -rT x.zip .',
    'scp -r . host:',
    '7z a x.7z .',
    'cp -rZ sub/.. /tmp/x',
    'scp -r ../* host:',
  ],
  ...['ag t', 'ack t .', 'rgrep t'],
  ...['grep -r "$q" .', 'grep -rh -e "$q"', 'diff --recurs . sub', 'diff --rec sub .', 'diff -r "$d" .'],
];

/** Each takes names out of a file. */
const listing = [
  ...['wc --files0=n0', 'wc --files0-from=n0', 'wc --fil n0', 'du --fil=n0 -a', 'du --files0-from=n0'],
  ...[
    'md5sum -c n0',
    'md5sum --che n0',
    'sha256sum -cw n0',
    'cksum --check n0',
    'b2sum --check n0',
    'sort --files0-from=n0',
    'sort --fil=n0',
  ],
  ...[
    'tar cT n0',
    'tar -cT n0',
    'tar -c --files-f=n0',
    'tar c --files-from n0',
    'rsync --files-from=n0 . x',
    'zip x.zip -@',
    'file -f n0',
    'curl -K n0',
    'curl --config n0',
    'wget -i n0',
    'wget --input-f=n0',
  ],
];

test('a rule against a file holds where an allowed program searches the directory around it', () => {
  const { judge } = openReadingGround();
  for (const line of walking) {
    expect([line, judge(line, { deny })]).not.toEqual([line, 'allow']);
    expect([line, judge(line, { deny, mode: 'bypassPermissions' })]).not.toEqual([line, 'allow']);
    expect([line, judge(line, { ask: deny, mode: 'bypassPermissions' })]).toEqual([line, 'ask']);
  }
});

test('a rule against a file holds where names come out of another file, and none is in the way without such a rule', () => {
  const { judge } = openReadingGround();
  for (const line of listing) {
    expect([line, judge(line, { deny })]).not.toEqual([line, 'allow']);
    expect([line, judge(line, { deny, mode: 'bypassPermissions' })]).not.toEqual([line, 'allow']);
    expect([line, judge(line, { mode: 'bypassPermissions' })]).toEqual([line, 'allow']);
  }
});

test('an unknown option leaves open what is read, so a rule against a file asks', () => {
  const { judge } = openReadingGround();
  for (const line of [
    'cat --new a.txt',
    'wc --newest a.txt',
    'grep --noveau x a.txt',
    'diff --newly a.txt n0',
  ]) {
    expect([line, judge(line, { deny })]).toEqual([line, 'ask']);
    expect([line, judge(line, { deny, mode: 'bypassPermissions' })]).toEqual([line, 'ask']);
    expect([line, judge(line)]).toEqual([line, 'allow']);
  }
});

test('options that only look are free under a rule, abbreviated or not', () => {
  const { judge } = openReadingGround();
  const free = [
    ...[
      'grep --line-num t a.txt',
      'wc --lin a.txt',
      'head --lin=2 a.txt',
      'cat --squ a.txt',
      'diff --uni a.txt n0',
    ],
    ...[
      'grep --help',
      'wc --version',
      'md5sum --tag a.txt',
      'ls --recurs sub',
      'grep --recurs t sub',
      'sort --rev a.txt',
    ],
  ];
  for (const line of free)
    for (const mode of ['default', 'bypassPermissions'] as const)
      expect([line, mode, judge(line, { deny, mode })]).toEqual([line, mode, 'allow']);
  const named = ['scp a.txt host:', 'tar --new -cf /tmp/x a.txt sub', 'tar xf a.tar -C .', 'unzip a.zip'];
  for (const line of named)
    expect([line, judge(line, { deny, mode: 'bypassPermissions' })]).toEqual([line, 'allow']);
  const computed = ['head -n "$n" a.txt', 'grep "$q" a.txt', 'cat "$f"', 'wc -l "$f"', 'grep -c "$q" "$f"'];
  for (const line of computed)
    expect([line, judge(line, { deny, mode: 'bypassPermissions' })]).toEqual([line, 'allow']);
});

test('no option of a program is the beginning of one in its table, for which it would be taken', () => {
  const tables = { ...fileTools, ...textTools, ...writers, tar: tarWriter };
  const other = new Set(['rg', 'fd', 'fdfind', 'jq', 'yq']);
  for (const [name, { flags }] of Object.entries(tables)) {
    if (other.has(name)) continue;
    const ours = `${flags} --help --version`.split(' ').map((flag) => flag.replace(/[:#<>?]$/, ''));
    const { stdout = '', stderr = '' } = spawnSync(name, ['--help'], { encoding: 'utf8', input: '' });
    const real = [...`${stdout}${stderr}`.matchAll(/(?<![\w-])--[a-z0-9][a-z0-9-]*/g)].map(([flag]) => flag);
    const mistaken = real.filter((flag) => !ours.includes(flag) && ours.some((one) => one.startsWith(flag)));
    expect([name, mistaken]).toEqual([name, []]);
  }
});
