// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell's
import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/index.ts';
import { judge, shell } from './cases.ts';

const behaviour = (command: string) => judge({ accesses: [shell(command)] }).behaviour;

/** Each prints the names that the pattern in `list.txt` stands for. */
const matching = [
  'echo $(cat list.txt)',
  'echo `cat list.txt`',
  'echo a $(cat list.txt | head -1)',
  "printf '%s\\n' $(cat list.txt)",
  'basename -a $(cat list.txt)',
  'x=$(cat list.txt); echo $x',
  'x="$(cat list.txt)"; echo $x',
  'for f in $(cat list.txt); do echo "$f"; done',
  'x=$(cat list.txt); for f in $x; do echo "$f"; done',
  'a=($(cat list.txt)); echo "${a[0]}"',
  'while read -r line; do echo $line; done < list.txt',
  'echo $(echo $(cat list.txt))',
  'echo $(date | tac list.txt)',
  "echo $(echo /etc/hostb | tr ab ')-+')",
  "echo $(printf '\\057etc\\057host\\052')",
  'echo $(awk \'BEGIN { print "/etc/host*" }\')',
  'x="/etc/host* b"; echo $x',
  'echo $(echo /etc)/host*',
  'f=./etc/host; x=${f#.}*; echo $x',
  'echo $(git rev-parse --sq-quote /etc/host*)',
];

test('text that is not known is asked about where the shell would read it as a pattern', () => {
  for (const command of matching) expect([command, behaviour(command)]).toEqual([command, 'ask']);
});

test('bash prints names outside the workspace for such lines', () => {
  using directory = temporaryDirectory();
  const cwd = directory.path;
  writeFileSync(join(cwd, 'list.txt'), '/etc/host*\n');
  const leaks = matching.filter((command) =>
    spawnSync('bash', ['-c', command], { cwd, encoding: 'utf8' }).stdout.includes('hosts'),
  );
  expect(leaks.length).toBeGreaterThan(matching.length - 3);
});

test('in quotes it is text, and numbers, hashes, dates and found names are no patterns', () => {
  const commands = [
    'echo "$(cat list.txt)"',
    'x=$(cat list.txt); echo "$x"',
    'while read -r line; do echo "$line"; done < list.txt',
    'echo $(wc -l < list.txt) $(date +%F) $(nproc) $(pwd) $(id -u)',
    'echo $(git rev-parse --short HEAD) on $(git branch --show-current)',
    'n=$(grep -c x list.txt); echo $n',
    'n=$(git ls-files | wc -l); echo total: $n',
    'n=$(wc -l < list.txt | tr -d " "); echo $n $? $# ${#n}',
    'for i in $(seq 1 3); do echo $i; done',
    'echo $(git log -1 --format=%h) $(git describe --tags)',
    'echo $(ls) $HOME $PWD $USER',
    'for f in $(git ls-files); do echo $f; done',
    'msg="a b"; echo $msg',
    'h=$(git rev-parse HEAD); echo ${h:0:7}',
    'f=a.txt; echo ${f%.txt} ${f##*.}',
    'for f in *.ts; do echo ${f%.ts}; done',
  ];
  for (const command of commands) expect([command, behaviour(command)]).toEqual([command, 'allow']);
});

test('no rule for a program answers it, and a loop over such names is asked about', () => {
  const of = (command: string, allow = 'Bash(npm test:*)') =>
    judge({ accesses: [shell(command)], allow: [allow] }).behaviour;
  expect(of('npm test -- $(cat list.txt)')).toBe('ask');
  expect(of('npm test -- $(cat list.txt)', 'Bash')).toBe('allow');
  // What is not known could be an option, by which another program runs.
  expect(of('npm test $(cat list.txt)')).toBe('ask');
  expect(of('for f in $(cat list.txt); do npm test -- "$f"; done')).toBe('ask');
});
