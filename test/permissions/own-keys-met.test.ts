import { expect, test } from 'bun:test';
import { exploreRole } from '../../src/permissions/roles.ts';
import { judge, read } from './cases.ts';
import { openReadingGround } from './reading-ground.ts';

/** Each comes across our own keys without naming them whole. */
const meeting = [
  ...[
    'cat ~/.*/*.json',
    "grep -d recurse '' ~/.cadre",
    "grep --directories=recurse '' ~/.cadre",
    "egrep -drec '' ~/.cadre",
  ],
  ...[
    'cd ~/.cad*; cat k*',
    'cd ~/.cad* && cat keys.json',
    'cd ~/.c*; grep -r x',
    'cd ~/.c* && head -3 *.json',
  ],
  ...["find ~ -maxdepth 1 -name '.c*' -exec grep -rh x {} +", "find ~ -name '.c*' | xargs grep -rh x"],
  ...["find ~ -name '.c*' -exec cat {}/keys.json \\;", "find ~ -name '.c*' -exec sh -c 'cat {}/*' \\;"],
  ...["cd ~ && git grep --no-index ''", "git -C ~ grep --no-index ''", "git -C ~ grep --untracked ''"],
  ...[
    'x=$(echo keys); cat ~/.cadre/$x.json',
    'cat ~/.cadre/$x',
    'cat "$HOME/.cadre/$(echo keys).json"',
    'cat ~/$d/keys.json',
  ],
  ...[
    'find ~ | tar cT -',
    'tar c -T <(find ~)',
    'find ~ | python3 x.py',
    'find ~ -type f | while read -r f; do cat "$f"; done',
  ],
  ...[
    'git -C ~ add -A',
    'cd ~ && git add -A',
    'cd ~ && git add .',
    'git -C ~ add .cadre',
    'cd ~ && git stash -u',
  ],
  ...[`node -p "require('$HOME/.cadre/keys')"`, 'python3 -c "open(\'$HOME/.cadre/\' + name)"'],
];

const others = [
  ...[
    'cat ~/.cadre/skills/*.md',
    'cat ~/.cadre/skills/$x.md',
    'grep -d recurse x ~/work/sub',
    'git -C ~ add notes.md',
  ],
  ...[
    'git -C ~ status',
    "find ~ -name '*.py' -exec grep -rh x {} +",
    'find ~ -maxdepth 1 | wc -l',
    'find ~ -name x; npm test',
  ],
  ...[
    'cat "$d/a.json"',
    'cat $x.json',
    'python3 -c "open(\'keys.json\')"',
    "find . -name '.c*' -exec grep -rh x {} +",
  ],
];

test('G9 no search, pattern or computed word comes across our own keys in any mode', () => {
  const { judge: of } = openReadingGround();
  for (const line of meeting) {
    expect([line, of(line, { mode: 'bypassPermissions' })]).toEqual([line, 'deny']);
    expect([line, of(line, { allow: ['Bash'] })]).toEqual([line, 'deny']);
    expect([line, of(line)]).not.toEqual([line, 'allow']);
  }
  for (const line of others) expect([line, of(line, { mode: 'bypassPermissions' })]).toEqual([line, 'allow']);
});

/** Keys that were given to us by the environment stay there, and in our memory. */
const processes = [
  ...[
    'cat /proc/1/environ',
    'cat /proc/*/environ',
    'cat /proc/$PPID/environ',
    'cat "/proc/$p/environ"',
    'cd /proc/1 && cat environ',
  ],
  ...[
    "tr '\\0' x < /proc/1/environ",
    'strings /proc/1/mem',
    'xxd /proc/1/task/1/environ',
    'grep -r KEY /proc',
    'grep -rz KEY /proc/1',
  ],
  ...[
    "grep -raoh --include=environ 'A=' /proc/1",
    'grep -d recurse x /proc/self',
    'python3 -c "open(\'/proc/1/environ\')"',
    'cp /proc/1/environ x',
  ],
  ...[
    'ps auxe',
    'ps eww',
    'ps -auxe',
    'ps e -p 1',
    'find /proc -name environ -exec cat {} +',
    "find /proc -name 'e*' -exec cat {} +",
  ],
];

test('G9 the environment and the memory of processes are refused in every mode', () => {
  const { judge: of } = openReadingGround();
  for (const line of processes) {
    expect([line, of(line, { mode: 'bypassPermissions' })]).toEqual([line, 'deny']);
    expect([line, of(line, { allow: ['Read', 'Read(//**)', 'Bash'] })]).toEqual([line, 'deny']);
  }
  const free = [
    'cat /proc/cpuinfo',
    'cat /proc/1/status',
    'ls /proc',
    'ps aux',
    'ps -ef',
    'ps -eo pid,comm',
    'ps -C node -e',
    'ps -u me',
  ];
  for (const line of free) expect([line, of(line, { mode: 'bypassPermissions' })]).toEqual([line, 'allow']);
  const explored = { role: exploreRole, allow: ['Read', 'Read(//**)'] };
  for (const line of processes.slice(0, 5)) expect([line, of(line, explored)]).not.toEqual([line, 'allow']);
  for (const path of ['/proc/self/environ', '/proc/12/mem', '/proc/12/task/13/environ'])
    expect(judge({ accesses: [read(path)], allow: ['Read', 'Read(//**)'] }).behaviour).toBe('deny');
});

test('cd without a directory goes home, and is judged as that', () => {
  const { judge: of } = openReadingGround();
  for (const line of ['cd', 'cd && pwd', 'cd --', 'cd -P', 'cd; ls', 'pwd; cd']) {
    expect([line, of(line, { allow: [] })]).toEqual([line, 'ask']);
    expect([line, of(line, { allow: ['Cd(~)', 'Read(~)'] })]).toEqual([line, 'allow']);
    expect([line, of(line, { mode: 'bypassPermissions', deny: ['Cd(~)'] })]).toEqual([line, 'deny']);
    expect([line, of(line, { mode: 'bypassPermissions' })]).toEqual([line, 'allow']);
  }
  expect(of('cd sub && ls', { allow: [] })).toBe('allow');
});

test('a file that a rule refuses is asked about where only a part of the text names it', () => {
  const { judge: of } = openReadingGround();
  const deny = ['Read(deep/hidden.txt)'];
  const naming = [
    ...[
      'cat $(echo deep/hidden.txt)',
      'echo deep/hidden.txt | xargs cat',
      'x=deep/hidden.txt; eval cat $x',
      'f=$(echo deep/hidden.txt); cat "$f"',
    ],
    ...[
      'python3 -c "print(open(\'deep/hidden.txt\').read())"',
      'printf %s deep/hidden.txt | xargs -I{} cat {}',
      "node -e 'fs.readFileSync(`./deep/hidden.txt`)'",
    ],
    ...['cd de*; cat hidden.txt', 'xargs cat <<< deep/hidden.txt', "perl -ne print <<< x 'deep/hidden.txt'"],
  ];
  for (const line of naming) {
    expect([line, of(line, { deny, mode: 'bypassPermissions' })]).not.toEqual([line, 'allow']);
    expect([line, of(line, { mode: 'bypassPermissions' })]).toEqual([line, 'allow']);
  }
  const free = [
    ...[
      'echo deep/hidden.txt',
      'git commit -m "remove deep/hidden.txt"',
      'cat "$f"',
      'npm test',
      'python3 -c "open(\'deep/open.txt\')"',
    ],
    ...['cat $(echo deep/open.txt)', 'cat sub/$x.txt', 'cat "$d/$f"'],
  ];
  for (const line of free)
    expect([line, of(line, { deny, mode: 'bypassPermissions' })]).toEqual([line, 'allow']);
});
