// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell's
import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

const bypass = { mode: 'bypassPermissions' as const };
const confined = { autoAllow: true, outside: true, excluded: [], network: false };

function openGround() {
  const top = resolveRealPath(temporaryDirectory().path);
  const [root, userHome] = [join(top, 'repo'), join(top, 'user')];
  const home = join(userHome, '.cadre');
  const files = [
    'a.txt',
    'src/x.ts',
    '.git/HEAD',
    '.git/index',
    '.vscode/tasks.json',
    '.envrc',
    'sub/f',
    'x.tar',
  ];
  for (const file of [
    ...files.map((name) => join(root, name)),
    join(home, 'keys.json'),
    join(userHome, 'deny/x'),
  ]) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
  }
  const workspace = {
    ...{ cwd: root, userHome, home, directories: [], realPath: resolveRealPath, look: lookAtFiles([root]) },
    findHome: (user: string) => (user === 'root' ? '/root' : undefined),
  };
  const on = (command: string, more: Partial<Case> & { isConfined?: boolean } = {}) => {
    const { isConfined, ...rest } = more;
    const place = isConfined ? { ...workspace, sandbox: confined } : workspace;
    return judge({ accesses: [{ kind: 'shell', command, cwd: root }], workspace: place, ...rest }).behaviour;
  };
  const each = (commands: readonly string[], more: Parameters<typeof on>[1]) =>
    commands.map((command) => `${on(command, more)} ${command}`);
  return { on, each, root, home, userHome };
}

const all = (expected: string, commands: readonly string[]) => commands.map((one) => `${expected} ${one}`);

test('a tilde between braces, behind a name, or of another user leads where the shell goes', () => {
  const { each, on } = openGround();
  const rules = { allow: ['Bash(tee:*)', 'Bash(dd:*)'] };
  const writes = ['tee {~/.bashrc,x} < a.txt', 'dd if=a.txt of=~/.bashrc', 'tee ~root/.bashrc < a.txt'];
  expect(each(writes, rules)).toEqual(all('ask', writes));
  const reads = ['cat {~/deny/x,a.txt}', 'dd if=~/deny/x', 'more {~/deny/x,a.txt}'];
  const denied = { deny: ['Read(~/deny/**)'] };
  expect(each(reads, { ...bypass, ...denied })).toEqual(all('deny', reads));
  expect(each(reads, { allow: ['Bash'], ...denied })).toEqual(all('deny', reads));
  expect(on('cat {a,b}.txt')).toBe('allow');
});

test('our own keys are refused however a line names them', () => {
  const { each, home } = openGround();
  const keys = join(home, 'keys.json');
  const lines = [
    ...['rev {~/.cadre/keys.json,a.txt}', 'dd if=~/.cadre/keys.json', 'tee {~/.cadre/trust.json,x} < a.txt'],
    ...[`env -S 'cat ${keys}'`, "bash <<< 'cat ~/.cadre/keys.json'", `echo ${keys} | xargs cat`],
    ...[`a=(${keys}); cat \${a[0]}`, 'cat ${HOME%/}/.cadre/keys.json', 'tar cf - -C ~ .cadre'],
    ...[
      'tar cf - -C ~ .',
      'find ~ -name keys.json | xargs cat',
      'xargs -I{} cat {}/.cadre/keys.json <<< ~',
      'git add -f ~/.cadre/keys.json',
      'cat /proc/self/cwd/../user/.cadre/keys.json',
      'node -p "read(process.env.HOME + \'/.cadre/keys.json\')"',
      'bash <<E\ncat ~/.cadre/keys.json\nE',
      'python3 -c "open(\'/x/../../..$HOME/.cadre/keys.json\')"',
    ],
    ...[
      `su -c'cat ${keys}'`,
      'zip -r x.zip ~/.cadre',
      'rsync -a ~/.cadre .',
      'node -e "f(process.env.HOME + x)" ~/.cadre',
    ],
    ...['x=~/.cadre/keys.json; more $x', 'cat "$Y/.cadre/keys.json"', 'cp -t x ~/.cadre/keys.json'],
  ];
  expect(each(lines, bypass)).toEqual(all('deny', lines));
});

const evaded = [
  ...["env -S'rm z1'", "env --split-string='rm x'", 'env - rm z2', "env -iS'rm x'", 'env -u A -C . rm x'],
  ...[
    "source /dev/stdin <<< 'rm z3'",
    "su -c'rm z6'",
    'setpriv rm z7',
    "flock x -c'rm y'",
    "flock x --command='rm y'",
  ],
  ...[
    "script -c'rm x'",
    "script --command='rm x'",
    "su --command='rm x'",
    'setarch rm x',
    'linux64 rm x',
    'fakeroot rm x',
  ],
  ...[
    '/lib64/ld-linux-x86-64.so.2 /bin/rm x',
    'npm exec -- rm x',
    'pnpm exec rm x',
    'bun x rm x',
    'uv run rm x',
  ],
  ...['poetry run rm x', "bash <<< 'rm x'", 'bash <<E\nrm x\nE', 'env -S "rm" x'],
];

test('a deny rule holds behind wrappers in all their spellings', () => {
  const { each } = openGround();
  expect(each(evaded, { ...bypass, deny: ['Bash(rm:*)'] })).toEqual(all('deny', evaded));
});

const unclear = [
  ...['. <(echo rm z4)', "[ -v 'a[$(rm z5)]' ]", "mapfile -C 'rm x6 #' -c 1 a < f6", "compgen -C 'rm x'"],
  ...[
    'fd -x rm',
    "git -c alias.x='!rm x' x",
    "git clone -um 'ext::rm x'",
    "git fetch 'ext::sh -c rm% x'",
    "PS4='$(rm x)' bash -xc :",
    "man -P 'rm x' ls",
    'cat > s <<E && sh s\nrm x\nE',
    "echo 'rm x' > s; sh s",
    "git clone -ccore.sshCommand='rm x' a",
    "tar --to-command='rm x' -xf x.tar",
    "git rebase -x 'rm x' HEAD~1",
  ],
  ...[
    'git submodule foreach rm x',
    'git bisect run rm x',
    'python3 -c "import os; os.system(\'rm x\')"',
    'make X="rm y"',
  ],
  ...[
    "X='rm y' make",
    'x=rm; npm exec $x',
    "echo 'rm x' | parallel",
    'rsync -e "rm x" a b',
    'sort --compress-program=rm a',
  ],
  ...[
    "find . -fprintf x '%p' -exec mytool rm {} +",
    "vim -c ':!rm x'",
    'ssh host rm x',
    'coproc npm exec rm x',
  ],
  ...["printf -v x 'rm y'; mytool $x", 'a=(rm x); mytool "${a[@]}"', 'watch -n1 "r\\m x"', "mytool 'r''m x'"],
];

test('where a deny rule could be meant by any word of a program that may run it, it is not run without asking', () => {
  const { on } = openGround();
  const free = unclear.filter((line) => on(line, { ...bypass, deny: ['Bash(rm:*)'] }) === 'allow');
  expect(free).toEqual([]);
});

test('words that are known to be data are free under a deny rule', () => {
  const { each } = openGround();
  const lines = [
    ...[
      'npm test',
      'git commit -m "rm old file"',
      'git rm a.txt',
      'echo "rm x"',
      'grep -r "rm -rf" src',
      'ls rm',
    ],
    ...[
      'git commit -am "rm old file" && npm test',
      'git commit -m"rm x"',
      'gh pr create --title "rm x" --body "rm y"',
      'cp rm x',
      'man rm',
    ],
    ...[
      'docker run --rm img',
      'npm run build',
      'make -j4',
      'npm install rimraf',
      'cat <<E > x\nrm x\nE',
      'node rm.js',
    ],
    ...[
      'git log --grep "rm x"',
      'git push origin main',
      'git checkout -b rm-old',
      'bash build.sh',
      'cargo test rm_works',
    ],
    ...[
      'mkdir rm',
      'python3 scripts/rm.py',
      'curl -d "rm x" http://h/',
      'tar czf rm.tgz src',
      'printf "rm %s" x',
    ],
  ];
  expect(each(lines, { ...bypass, deny: ['Bash(rm:*)'] })).toEqual(all('allow', lines));
});

test('removing the home or the workspace is asked about in every mode and spelling', () => {
  const { each, root } = openGround();
  const lines = [
    ...['rm -rf {~,x}', `env -S 'rm -rf ${root}'`, `env -S'rm -rf ${root}'`, `bash <<< 'rm -rf ${root}'`],
    ...[`trap 'rm -rf ${root}' EXIT`, `flock /dev/null -c 'rm -rf ${root}'`, `su -c 'rm -rf ${root}'`],
    ...[
      `script -qc 'rm -rf ${root}' /dev/null`,
      `source /dev/stdin <<< 'rm -rf ${root}'`,
      `xargs rm -rf <<< ${root}`,
    ],
    ...[
      `rm -rf ~root/../../..${root}`,
      'rm -rf ~root',
      'find . -delete',
      'find . -type f -delete',
      'find . -execdir rm -rf {} +',
      'pushd .. && rm -rf repo',
      'f() { rm -rf "$1"; }; f ~',
      'rm -rf "$(pwd -P)"',
      'zip -rm ../x.zip .',
      'find . -type f -exec rm {} +',
      'find $PWD -delete',
    ],
    ...[
      'cd .. ; find repo -mindepth 1 -delete',
      'find ~ -delete',
      'find / -delete',
      'rsync -a --delete /tmp/empty/ ./',
    ],
    ...[
      'tar --remove-files -cf /tmp/x.tar .',
      'echo / | xargs rm -rf',
      'rm -rf ~nosuch',
      'npm exec -- rimraf .',
    ],
    ...[
      'python3 -c "import shutil; shutil.rmtree(\'.\')"',
      'node -e \'fs.rmSync(".", {recursive: true})\'',
      'mv . ../x',
    ],
    ...[
      'busybox rm -rf ..',
      'a=(~); rm -rf "${a[@]}"',
      'rm -rf ${HOME%/}',
      'bash -c "rm -rf ~"',
      'nice rm -rf $HOME/',
    ],
    ...[
      'tar --remove-files -cf ../x.tar -C .. repo',
      'eval "rm -rf ."',
      'rm -rf ./',
      'rm -rf "$HOME"/../user',
      'rm -rf .',
    ],
    ...[
      'cd "$OLDPWD/.." && rm -rf repo',
      'cd "$(dirname "$PWD")"; rm -rf ./repo/',
      'cd $UP && rm -r -f sub/../repo',
      'cd $UP; mv user other',
    ],
  ];
  expect(each(lines, bypass)).toEqual(all('ask', lines));
  expect(each(lines, { allow: ['Bash'] })).toEqual(all('ask', lines));
  expect(each(lines, { isConfined: true })).toEqual(all('ask', lines));
});

test('removing other things is free where it was before', () => {
  const { each } = openGround();
  const lines = [
    ...[
      "find . -name '*.pyc' -delete",
      'find . -type d -empty -delete',
      'rm -rf dist',
      'rsync -a --delete src/ public/',
    ],
    ...[
      'find . -name node_modules -prune -exec rm -rf {} +',
      "find . -name '*.o' | xargs rm -f",
      'npm run clean',
    ],
    ...[
      'tmp=$(mktemp -d); cp -r . "$tmp"; npm test; rm -rf "$tmp"',
      'git clean -fdx',
      'docker run --rm -v $PWD:/w img',
    ],
    ...[
      "find . -path '*/__pycache__/*' -delete",
      'make clean DIR=.',
      'npx rimraf dist',
      'tar czf ../x.tgz .',
      'mv a.txt b',
    ],
    ...[
      'cd src && rm -rf build',
      'for f in *.log; do rm -f "$f"; done',
      'cd "$tmp" && rm -rf build',
      'git rm -r --cached .',
      'rm -rf $BUILD_DIR',
    ],
  ];
  expect(each(lines, bypass)).toEqual(all('allow', lines));
  expect(each(lines, { isConfined: true })).toEqual(all('allow', lines));
});

test('writes to protected paths that the text names are asked about in the sandbox', () => {
  const { each } = openGround();
  const lines = [
    ...['find .git -type f -delete', 'shred -u .git/index', 'unlink .git/HEAD', 'dd of=.git/refs/heads/main'],
    ...[
      'truncate -s 0 .vscode/tasks.json',
      'find .vscode -delete',
      'install x .git/HEAD',
      'ln -sf x .git/HEAD',
    ],
    ...[
      'gzip .git/HEAD',
      'rsync x .git/HEAD',
      'tar -xf x -C .git',
      'shred .envrc',
      'patch .envrc x',
      'curl -o .envrc http://h/',
    ],
    ...[
      'dd if=/dev/null of=.git/refs/heads/main',
      'unzip x -d .git/hooks',
      'sort -o .envrc a.txt',
      'git mv a.txt .vscode/x',
    ],
  ];
  expect(each(lines, { isConfined: true })).toEqual(all('ask', lines));
  const free = [
    ...[
      'git commit -m x',
      'git checkout main',
      'npm test',
      'tar czf x.tgz .git',
      'rsync -a src/ copy/',
      'git add .vscode',
    ],
    ...[
      'rg -uuu needle .github/workflows',
      'curl -o out http://h/',
      'patch -p1 < x.diff',
      'make',
      'git stash',
      'unzip x.zip',
    ],
  ];
  expect(each(free, { isConfined: true })).toEqual(all('allow', free));
});

test('a rule for a subcommand holds with options of the program before it', () => {
  const { each } = openGround();
  const rules = [
    'git push:*',
    'npm publish:*',
    'docker run:*',
    'make deploy:*',
    'terraform apply:*',
    'kubectl delete:*',
  ];
  const deny = [
    ...rules,
    'docker compose up:*',
    'cargo publish:*',
    'gh repo delete:*',
    'systemctl stop:*',
  ].map((text) => `Bash(${text})`);
  const lines = [
    ...[
      'git -C . push origin x',
      'git --no-pager push',
      'git -c a=b push',
      'git --git-dir=.git push',
      'git-push x',
    ],
    ...[
      'git --git-dir .git --work-tree . push',
      'npm --silent publish',
      'npm --prefix x publish',
      'docker --debug run x',
    ],
    ...[
      'make -s deploy',
      'make -C x deploy',
      'make all deploy',
      'terraform -chdir=x apply',
      'kubectl -n x delete pod y',
    ],
    ...[
      'kubectl --namespace=x delete pod y',
      'docker compose -f x.yml up',
      'cargo +nightly publish',
      'gh -R a/b repo delete x',
    ],
    ...['systemctl --user stop x', '/usr/bin/git -C . push', '/usr/lib/git-core/git-push'],
  ];
  for (const more of [bypass, { allow: ['Bash(git:*)', 'Bash'] }])
    expect(each(lines, { ...more, deny })).toEqual(all('deny', lines));
  const free = [
    ...[
      'git log push',
      'git commit -m push',
      'npm run publish',
      'docker ps',
      'make test',
      'kubectl get pods delete',
      'git fetch',
    ],
    ...['terraform plan', 'git -C . status', 'gh repo view', 'npm test -- publish'],
  ];
  expect(each(free, { ...bypass, deny })).toEqual(all('allow', free));
  const asked = ['git --unknown x push', 'npm publ', 'npm --what publish'];
  expect(each(asked, { ...bypass, deny })).toEqual(all('ask', asked));
  expect(each(['mytool --x deploy'], { ...bypass, deny: ['Bash(mytool deploy:*)'] })).toEqual([
    'ask mytool --x deploy',
  ]);
});

test('a rule about a host holds for commands that name it', () => {
  const { each } = openGround();
  const lines = [
    ...[
      'curl -s http://127.0.0.1:80/page',
      'wget http://127.0.0.1/',
      'git clone http://127.0.0.1/x',
      'ssh me@127.0.0.1',
    ],
    ...[
      'nc 127.0.0.1 80',
      'cat < /dev/tcp/127.0.0.1/80',
      'curl 127.1',
      'curl http://2130706433/',
      'curl --url=http://127.0.0.1',
    ],
    ...[
      'bash -c "curl http://127.0.0.1"',
      'scp a.txt 127.0.0.1:x',
      'rsync a.txt me@127.0.0.1:/x',
      'curl -xhttp://127.0.0.1 x.y',
    ],
    ...[
      'python3 -c \'get("http://127.0.0.1")\'',
      'echo http://127.0.0.1 | xargs curl',
      'exec 3<>/dev/tcp/127.0.0.1/80',
    ],
  ];
  for (const more of [bypass, { allow: ['Bash'] }])
    expect(each(lines, { ...more, deny: ['WebFetch(domain:127.0.0.1)'] })).toEqual(all('deny', lines));
  const below = ['curl https://a.example.com/', 'curl example.com'];
  expect(each(below, { ...bypass, ask: ['WebFetch(domain:*.example.com)'] })).toEqual(all('ask', below));
  const free = [
    'curl https://other.org',
    'echo http://127.0.0.1',
    'git commit -m "see http://127.0.0.1"',
    'npm test',
  ];
  expect(each(free, { ...bypass, deny: ['WebFetch(domain:127.0.0.1)'] })).toEqual(all('allow', free));
});

test('a rule about a directory holds however a shell goes there', () => {
  const { each } = openGround();
  const lines = [
    'cd sub && cat f',
    'CDPATH=. cd sub && cat f',
    'pushd sub && cat f',
    'CDPATH=.:/x; cd sub',
    'cd -P sub',
  ];
  expect(each([...lines, 'builtin cd sub', 'cd -- sub'], { ...bypass, deny: ['Cd(sub)'] })).toEqual(
    all('deny', [...lines, 'builtin cd sub', 'cd -- sub']),
  );
});
