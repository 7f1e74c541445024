import { afterAll, expect, test } from 'bun:test';
import { exploreRole } from '../../src/permissions/roles.ts';
import { buildLayouts } from '../proof/kernel/layout.ts';
import { allowedOnDisk } from './allowed-on-disk.ts';
import { judge, shell } from './cases.ts';
import { readCorpus } from './read-corpus.ts';

const attacks = readCorpus('options.txt');
const layouts = buildLayouts(['clean', 'hard-links']);
afterAll(() => layouts[Symbol.dispose]());

test(`G9 of ${attacks.length} lines whose options or operands do more than they seem to none runs without asking`, () => {
  expect(attacks.length).toBeGreaterThanOrEqual(360);
  const ways = [
    { mode: 'default' },
    { mode: 'plan' },
    { mode: 'acceptEdits' },
    { mode: 'dontAsk' },
    { role: exploreRole },
  ] as const;
  const allowed = ways.flatMap((way) =>
    attacks
      .filter((command) => judge({ accesses: [shell(command)], ...way }).behaviour === 'allow')
      .map((command) => [way, command]),
  );
  expect(allowed).toEqual([]);
});

test(`of ${attacks.length} such lines none runs without asking where there are files, links and repositories`, () => {
  expect(allowedOnDisk(attacks, layouts.all, ['default', 'acceptEdits', 'Explore'])).toEqual([]);
});

const harmless = [
  ...['base64 f', 'base64 -d f', 'base64 -w0 f', 'base64 -w 0 f', 'base64 < f'],
  ...['git diff --no-index a b', 'git diff --no-index --stat a b', 'git diff --no-index -- a b'],
  ...['bash --version', 'node --version', 'git --version', 'zsh --version'],
  ...[
    'zcat f.gz',
    'zcat a.gz b.gz',
    'gunzip -c f.gz | head -2',
    'gzip -dc f.gz',
    'gzip -cd < f.gz',
    'zcat ./*.gz',
  ],
  ...['bzcat f.bz2', 'bunzip2 -c f.bz2', 'xzcat f.xz', 'xz -dc f.xz', 'gzip -t f.gz', 'xz -cd < f.xz'],
  ...['md5sum f', 'sha256sum f g', 'xxd f', 'xxd -p f', 'xxd -c16 -l 64 f', 'od -c f', 'hexdump -C f | head'],
  ...['strings f', 'column -t f', 'comm -12 a b', 'paste -d, a b', 'join a b', 'nl -ba f', 'fold -w 80 f'],
  ...['tree -L 2', 'tree -L2', 'tree -aI node_modules', "tree -L 3 -I 'dist|build' src", 'tree -adf src'],
  ...[
    "jq '{name, version}' a.json",
    'jq -r \'.a[] | "\\(.b): \\(.c)"\' a.json',
    "jq -r '.x // empty' a.json",
  ],
  ...["jq '.env' a.json", "jq '{env: .a, load}' a.json", 'jq \'map(select(.name == "env"))\' a.json'],
  ...[
    "jq '{a: (if .x then 1, 2 else 3 end), name, env: .e}' a.json",
    "jq 'if .a then {b: 1, name} else . end' a.json",
  ],
  ...['yq data.yaml', 'yq env.yaml'],
  ...["yq '.jobs' ci.yml", "yq e '.jobs' ci.yml", 'yq -o=json . ci.yml', "yq -r '.a | keys' ci.yml"],
  ...["sed -ne '1,5p' f", "sed -n -e '1p' -e '2p' f", "sed -E 's/(a)/\\1/' f", "awk -F: '{print $1}' f"],
  ...['awk \'{printf("%s (MB)\\n", $1)}\' f', "awk '{print length($0), substr($1, 2)}' f"],
  ...[
    'git diff -U5',
    'git diff -U0 HEAD',
    'git log -n5',
    'git log -5 -p',
    'git log -Sfoo',
    'git log -S foo -p',
  ],
  ...[
    'git diff -M90% HEAD',
    'git status -uno',
    'git status -sb',
    'git status --ignore-submodules',
    'git tag -n3',
  ],
  ...[
    'git branch -avv',
    'git shortlog -sne',
    'git blame -L 1,5 a',
    'git blame -L1,5 a',
    'git grep -n -A3 foo',
  ],
  ...[
    'git tag --sort=-creatordate',
    'git log --format=%h',
    'git log --since=2.weeks',
    'git reflog show HEAD',
  ],
  ...[
    'tail -n -5 f',
    'tail -n5 f',
    'head -c 100 f',
    'grep -A3 -e foo f',
    "rg -g '!*.ts' foo",
    "grep -e '-x' f",
  ],
  ...[
    "date -d '2 days ago' +%F",
    'date -Iseconds',
    'date -u',
    'sort -t, -k2 f',
    'cut -d: -f1 f',
    'fd -e ts foo src',
  ],
];

test.each(harmless)('%s runs without asking, for Explore and everyone', (command) => {
  const found = [{}, { mode: 'plan' as const }, { role: exploreRole }].map(
    (way) => judge({ accesses: [shell(command)], ...way }).reason,
  );
  expect(found).toEqual(found.map(() => 'every part of it only reads'));
});

test('files that git compares without an index are read like any others', () => {
  const verdict = (command: string, deny: string[] = []) =>
    judge({ accesses: [shell(command)], deny }).behaviour;
  expect(verdict('git diff --no-index a /etc/passwd')).toBe('ask');
  expect(verdict('git diff --no-index a ../b')).toBe('ask');
  expect(verdict('git diff --no-index a .env', ['Read(.env)'])).toBe('deny');
  expect(verdict('git diff --no-index a b', ['Read(.env)'])).toBe('allow');
});
