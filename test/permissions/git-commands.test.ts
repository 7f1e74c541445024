// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell's
import { expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openRunsLater } from '../../src/places/find-runs-later.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';

/** A repository with a script, and a look at one file in it under a setting. */
function openGround(files: Record<string, string> = { 'tools/go.sh': '#!/bin/sh\n', 'src/main.ts': '' }) {
  const top = resolveRealPath(temporaryDirectory().path);
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(top, name)), { recursive: true });
    writeFileSync(join(top, name), text);
  };
  put('repo/.git/HEAD', 'ref: refs/heads/main\n');
  for (const [name, text] of Object.entries(files)) put(`repo/${name}`, text);
  const find = (path: string, value: string, section = 'alias', name = 'a') => {
    const quoted = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
    put('repo/.git/config', `[${section}]\n\t${name} = "${quoted}"\n`);
    const environment = { GIT_CONFIG_SYSTEM: '/dev/null' };
    return openRunsLater({ userHome: join(top, 'home'), environment })(join(top, 'repo', path));
  };
  return { top, find };
}

const running = [
  ...['!cd to\\\nols && ./go.sh', '!cd tools\n./go.sh', '!find tools -name "g*" -exec {} \\;'],
  ...['!cd tools && ./go.sh', '!(cd tools;./go.sh)', '!cd -P -- tools && ./go.sh', '!pushd tools; ./go.sh'],
  ...['!cd "$(git rev-parse --show-toplevel)/tools" && ./go.sh', '!cd "`pwd`"/tools && exec ./go.sh "$@"'],
  ...['!PATH=tools:$PATH go.sh', '!PATH=$PWD/tools:$PATH go.sh', '!export PATH="$PATH:tools"; go.sh'],
  ...['!./tools/g*.sh', '!./t*/go.sh', "!./tools/'go'.sh", '!./tools/"go".sh', '!./tools/g\\o.sh'],
  ...['!./tools/{go,stop}.sh', "!./tools/$'g\\x6f.sh'", '!./"tools"/go.sh', '!"./tools"/go.sh'],
  ...['!for f in tools/*; do sh $f; done', '!for f in go; do tools/$f.sh; done', '!cd tools && sh ./*'],
  ...['!${GIT_PREFIX:-.}/tools/go.sh', '!${RUNNER:-tools/go.sh}', '!d=tools; cd $d; ./go.sh'],
  ...['rebase -x "cd tools && ./go.sh"', '!sh -c "cd tools && ./go.sh"', '!sh -c \'cd "tools" && ./go.sh\''],
  ...[
    '!cd tools && sh go.sh',
    '!git -C tools rebase -x ./go.sh',
    '!env -C tools ./go.sh',
    '!env -Ctools ./go.sh',
  ],
  ...['!env --chdir=tools ./go.sh', '!cd$IFS"tools";./go.sh', '!cd src/../tools; ./go.sh', '!cd t*; ./go.sh'],
  ...[
    '!cd src && ../tools/go.sh',
    '!cd src && cd ../tools && ./go.sh',
    '!run-parts tools',
    '!x=$(cd tools && ./go.sh)',
  ],
];

for (const value of running)
  test(`the script that an alias runs is protected: ${value}`, () => {
    expect(openGround().find('tools/go.sh', value)).toContain('alias.a');
  });

test('so is one of any other setting, and in an address that is a command', () => {
  const { find } = openGround();
  for (const [section, name] of [
    ['merge "x"', 'driver'],
    ['filter "x"', 'clean'],
    ['diff "x"', 'textconv'],
    ['pager', 'log'],
    ['credential', 'helper'],
  ])
    expect(find('tools/go.sh', 'cd tools; ./go.sh', section, name)).toBeDefined();
  expect(find('tools/go.sh', 'ext::tools/go.sh %S', 'remote "o"', 'url')).toContain('remote.o.url');
  expect(find('tools/go.sh', 'ext::sh -c cd% tools;./go.sh %S', 'remote "o"', 'url')).toBeDefined();
  expect(find('tools/go.sh', 'short:', 'url "ext::tools/go.sh "', 'insteadOf')).toBeDefined();
});

for (const value of [
  ...['!cd tools && ./go.sh', '!cd tools && sh go.sh', '!PATH=$PWD/tools:$PATH go.sh', '!make -C tools'],
  ...['!cd a && cd tools && ./go.sh', '!./tools/*.sh', '!tools/$1'],
])
  test(`one that does not exist yet is protected: ${value}`, () => {
    const place = value.includes('cd a') ? 'a/tools' : 'tools';
    const path = `${place}/${value.includes('make') ? 'Makefile' : 'go.sh'}`;
    expect(openGround({ 'src/main.ts': '' }).find(path, value)).toBeDefined();
    expect(openGround({ [`${place}/other`]: '' }).find(path, value)).toBeDefined();
  });

test('files that a program looks for in a directory by itself are protected', () => {
  const { find } = openGround({ 'tools/other': '' });
  expect(find('tools/GNUmakefile', '!make -C tools')).toBeDefined();
  expect(find('tools/Makefile', '!cd tools && make all')).toBeDefined();
  expect(find('tools/index.js', '!node tools')).toBeDefined();
  expect(find('tools/__main__.py', '!python3 tools')).toBeDefined();
  expect(find('tools/other', '!make -C tools')).toBeUndefined();
});

test('a script whose name has blanks, or that a linked directory holds, is protected', () => {
  const { top, find } = openGround({ 'my tools/go.sh': '', 'tools/go.sh': '' });
  expect(find('my tools/go.sh', '!cd "my tools" && ./go.sh')).toBeDefined();
  expect(find('my tools/go.sh', '!cd my\\ tools && ./go.sh')).toBeDefined();
  symlinkSync('tools', join(top, 'repo/led'));
  expect(find('tools/go.sh', '!cd led && ./go.sh')).toBeDefined();
});

test('a file that a shell is given counts whatever its name, and one of data that is only named does not', () => {
  const { find } = openGround({ 'tools/go': '', go: '', 'package.json': '', 'tools/package.json': '' });
  expect(find('go', '!sh go')).toBeDefined();
  expect(find('tools/go', '!cd tools && sh < go')).toBeDefined();
  expect(find('package.json', '!git add package.json && git commit')).toBeUndefined();
  expect(find('tools/package.json', '!cd tools && cat package.json')).toBeUndefined();
});

test('the directory of the home is known by its variable', () => {
  const { top, find } = openGround();
  mkdirSync(join(top, 'home'));
  symlinkSync(join(top, 'repo'), join(top, 'home/dots'));
  expect(find('tools/go.sh', '!cd $HOME/dots/tools && ./go.sh')).toBeDefined();
  expect(find('tools/go.sh', '!"${HOME}/dots/tools/go.sh"')).toBeDefined();
});

test('a directory that a command goes to stays open but for what the command runs there', () => {
  const { find } = openGround();
  for (const value of [
    '!cd src && npm test',
    '!cd src && git log "$1"',
    '!cd src && ./go.sh',
    '!eslint src',
    '!ls src',
  ])
    expect([value, find('src/main.ts', value)]).toEqual([value, undefined]);
  expect(find('src/test', '!cd src && npm test')).toBeUndefined();
  expect(find('tools/new.sh', '!cd tools && ./go.sh')).toBeUndefined();
  expect(find('src/main.ts', '!git log --format="%h %s" origin/main..HEAD')).toBeUndefined();
});

test('what a command cannot be read for closes no more than it must', () => {
  const { find } = openGround();
  const many = Array.from({ length: 60 }, (_, index) => `cd d${index}; ./r${index}`).join('; ');
  expect(find('d1/r1', `!${many}`)).toBeDefined();
  expect(find('src/main.ts', `!${many}`)).toBeUndefined();
  expect(find('src/main.ts', `!${'$('.repeat(40)}x${')'.repeat(40)}`)).toBeDefined();
});
