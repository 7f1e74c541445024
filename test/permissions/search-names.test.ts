import { describe, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { judge } from './cases.ts';
import { filesGround } from './files-ground.ts';

const on = filesGround(['.env', 'src/a.js', 'src/b.txt', 'odd.js/.env.local'], () => []);
const plain = filesGround(['.env', 'src/a.js', 'src/b.txt'], () => []);
const rules = ['Read(.env)', 'Read(./.env)', 'Read(**/.env)', 'Read(.env*)'];

test('a search that skips what a rule refuses by its name is free', () => {
  for (const rule of rules)
    for (const line of [
      ...['rg foo', 'rg foo .', 'rg -g "*.js" foo', 'rg -t js foo', 'rg -n foo src'],
      ...['grep -rn foo --include="*.js" .', 'grep -rn foo --exclude=.env .', 'grep -rn foo src'],
      ...['find . -name "*.js" -exec grep -l foo {} +', 'find . -name "*.js" | xargs grep -l foo'],
      'find . -name "*.js" -print0 | xargs -0 grep -l foo',
    ])
      expect([rule, line, plain(line, { deny: [rule] })]).toEqual([rule, line, 'allow']);
});

test('one that may take it is not', () => {
  for (const rule of rules)
    for (const line of [
      ...['rg --hidden foo', 'rg -uu foo', 'rg -. foo', 'rg -g ".e*" foo', 'rg -g "*" foo', 'grep -rn foo .'],
      ...['grep -rn foo --include=".e*" .', 'grep -rn foo --exclude=.en .', 'grep -rn foo --include="*" .'],
    ])
      expect([rule, line, on(line, { deny: [rule] })]).not.toEqual([rule, line, 'allow']);
});

test('a directory among the found names holds files of other names', () => {
  for (const line of [
    'find . -name "*.js" -exec grep -r foo {} +',
    'find . -name "*.js" | xargs rg --hidden foo',
  ])
    expect([line, on(line, { deny: ['Read(.env*)'] })]).not.toEqual([line, 'allow']);
});

test('grep takes names that no pattern matches, unless the first pattern is one of names to take', () => {
  for (const line of [
    'grep -rn foo --exclude=a --include="*.js" .',
    'grep -rn foo --exclude=.env --include=".e*" .',
    'grep -rn foo --exclude=.env --include="*" .',
  ]) {
    expect([line, plain(line, { deny: ['Read(.env)'] })]).toEqual([line, 'ask']);
    expect([line, plain(line, { role: exploreRole })]).toEqual([line, 'deny']);
  }
  expect(plain('grep -rn foo --include="*.js" --exclude=a .', { role: exploreRole })).toBe('allow');
});

test('ripgrep takes a dot name that one of its types matches', () => {
  const dotted = filesGround(['.env.json', 'src/.env.yaml', 'src/a.ts', '.cache/env.json'], () => []);
  for (const [lines, expected] of [
    [
      ['rg -t json foo', 'rg -tjson foo', 'rg --type=json foo', 'rg -t=json foo', 'rg -t sh -t json foo'],
      'not',
    ],
    [
      ['rg -t all foo', 'rg -t config foo', 'rg -t "$t" foo', 'rg -tjson -g "!a" foo', 'rg -tyaml foo src'],
      'not',
    ],
    [['rg -t ts foo', 'rg -tpy foo', 'rg -T json foo', 'rg --type rust -t go foo src', 'rg foo'], 'allow'],
  ] as const)
    for (const line of lines) {
      const answer = dotted(line, { deny: ['Read(.env*)'] });
      expect([line, answer === 'allow' ? 'allow' : 'not']).toEqual([line, expected]);
      const role = dotted(line, { role: exploreRole });
      expect([line, role === 'allow' ? 'allow' : 'not']).toEqual([line, expected]);
    }
  expect(dotted('rg -t json foo', { deny: ['Read(env.json)'] })).toBe('allow');
});

test('a pattern of ripgrep counts as ripgrep reads it: blanks at the end, comments, empty ones, a sign before it', () => {
  const ground = filesGround(['env.txt', '.env', 'src/a.js'], () => []);
  for (const glob of ["''", "' '", "'#x'", "'env.txt '", "'env.txt\t'", "'=env.txt'"])
    for (const line of [
      `rg -g ${glob} foo`,
      `rg -g '!a' --iglob ${glob} foo`,
      `rg --files -g ${glob} | xargs cat`,
    ])
      expect([line, ground(line, { deny: ['Read(env.txt)'] })]).not.toEqual([line, 'allow']);
  for (const line of ["rg -g '.env ' foo", 'rg -g=.env foo', "rg -g='!a' foo", "rg -g='!a' foo src"]) {
    expect([line, ground(line, { deny: ['Read(env.txt)', 'Read(.env)', 'Read(a.js)'] })]).toEqual([
      line,
      'ask',
    ]);
  }
  expect(ground("rg -g '.env ' foo", { role: exploreRole })).toBe('deny');
  expect(ground("rg -g '*.js ' foo", { role: exploreRole })).toBe('allow');
});

describe('a hidden name that an ignore file brings back is met', () => {
  for (const [file, text] of [
    ['.ignore', '!.env\n'],
    ['.ignore', '*\n!.{env,x}\n'],
    ['.ignore', '!{a/b,.env}\n'],
    ['.ignore', '\ufeff!.env\n'],
    ['.ignore', '!/.env \r\n'],
    ['src/.rgignore', '!.env\n'],
    ['.git/info/exclude', '!.env\n'],
    ['src/.git/info/exclude', '!.env\n'],
    ['store/info/exclude', '!.env\n'],
    ['home/.config/git/ignore', '!.env\n'],
    ['home/own', '!.env\n'],
  ] as const)
    test(`${file} with ${JSON.stringify(text)}`, () => {
      const cwd = resolveRealPath(temporaryDirectory().path);
      const verdict = () => {
        const workspace = {
          cwd,
          directories: [],
          realPath: resolveRealPath,
          look: lookAtFiles([cwd], undefined, { PATH: process.env.PATH, HOME: join(cwd, 'home') }),
        };
        const accesses = [{ kind: 'shell', command: 'rg foo', cwd }] as const;
        return judge({ accesses: [...accesses], workspace, deny: ['Read(.env)'] }).behaviour;
      };
      const put = (path: string, content: string) => {
        mkdirSync(dirname(join(cwd, path)), { recursive: true });
        writeFileSync(join(cwd, path), content);
      };
      put('.env', 'x');
      put('src/.env', 'x');
      put('linked/.git', 'gitdir: ../store\n');
      put('home/.gitconfig', '[core]\n\texcludesFile = ~/own\n');
      put(file, 'dist\n');
      expect(verdict()).toBe('allow');
      put(file, text);
      expect(verdict()).toBe('ask');
    });
});
