import { execFileSync } from 'node:child_process';
import type { Corner } from './corners.ts';
import { environmentBlob } from './layout-refused.ts';

const openedLines = `
  git blame a.txt ¦ git blame -s a.txt ¦ git annotate a.txt ¦ git -C src blame main.ts ¦ cd src && git blame main.ts ¦ git fsck ¦ git fsck --full ¦ git status ¦ git status -s ¦ git diff ¦ git log -p ¦
  git check-ignore -v --no-index a.txt ¦ git check-ignore -v x.txt ¦ git check-attr -a a.txt ¦ git check-attr text a.txt ¦ git check-attr -a src/main.ts ¦ git -C src check-attr -a main.ts ¦ git grep one ¦
  git log -1 --format=%aN ¦ git shortlog -sn HEAD ¦ git show --format=%cN ¦ git config user.name ¦ git config --get user.name ¦ git var GIT_AUTHOR_IDENT ¦ git remote -v ¦ git remote ¦
  git ls-files --eol ¦ git ls-files -o --exclude-standard ¦ git branch -a ¦ git rev-parse HEAD ¦ git stash list ¦ git diff --no-index a.txt b.txt ¦ timeout 5 git blame a.txt ¦ env git fsck`;

/** Files in which git keeps the content of others. */
const object = `.git/objects/${environmentBlob.slice(0, 2)}/${environmentBlob.slice(2)}`;
const storedLines = `
  cat ${object} ¦ printf '\\x1f\\x8b\\x08\\0\\0\\0\\0\\0' | cat - ${object} | gzip -dc ¦ base64 ${object} ¦ xxd < ${object} ¦ cat .git/objects/*/* ¦ cat .git/objects/6?/* ¦ cd .git && cat objects/*/* ¦ cd .git/objects/64 && head -c 99 * ¦
  grep -ra x .git ¦ grep -rac . .git/objects ¦ LC_ALL=C grep -r x . ¦ grep -r --exclude-dir=.git one . ¦ rg -uuu --text x ¦ rg --hidden -c one ¦ rg -g '*' one ¦ rg -g '!.git' --hidden one ¦ rg -g '[0-9a-f]*' one ¦ rg -g '**/9*' one ¦
  find . -type f -exec cat {} + ¦ find .git -type f | xargs cat ¦ find . -name '[0-9]*' -exec wc -c {} + ¦ find . -size -2 -name '9*' | xargs cat ¦ find . -path ./.git -prune -o -type f -exec wc -l {} + ¦ find . -not -path '*/.git/*' -type f -exec wc -l {} + ¦
  find . -name .git -prune -o -name '9*' -exec cat {} + ¦ find .git -not -path '*/.git/*' -type f -exec cat {} + ¦ find . -depth -name .git -prune -o -name '9*' -exec cat {} + ¦ find . -name .git -prune , -name '9*' -exec cat {} + ¦
  diff -r .git src ¦ diff -rx .git . src ¦ tar cf new.tar . ¦ tar cf new.tar --exclude=.git . ¦ tar cf new.tar .git ¦ cp -r .git new ¦ cp -r .git/objects new ¦ cp ${object} new ¦ zip -qr new.zip .git ¦ rsync -a .git/objects new ¦ sort ${object} ¦
  cat .git/modules/sub/objects/*/* ¦ grep -r x .git/modules ¦ find .git/modules -type f -exec cat {} + ¦ cat .git/HEAD ¦ cat .git/config ¦ cat .git/logs/HEAD ¦ ls -R .git ¦ strings .git/index ¦ git ls-files | xargs wc -l ¦ fd -H -t f . .git -x cat`;

/** Every command that this git has, and those it keeps for itself, with words of which it could run one. */
function listSubcommandLines(): string {
  const main = execFileSync('git', ['--list-cmds=main']).toString().split('\n').filter(Boolean);
  const names = new Set([...main, ...odd.split(' ')]);
  const words = ['./evil.sh -a', 'run ./evil.sh'];
  return [...names].flatMap((name) => words.map((rest) => `git ${name} ${rest}`)).join(' ¦ ');
}

const odd =
  'remote-ext remote-fd merge-index submodule--helper bisect--helper difftool--helper credential for-each-repo hook maintenance daemon ' +
  'instaweb web--browse shell upload-pack receive-pack help gui send-email subtree st evil';

const givenLines = `
  printf 'connect git-upload-pack\\n' | git remote-ext origin './evil.sh' ¦ git bisect start HEAD HEAD~1; git bisect run ./evil.sh ¦ git bisect start HEAD HEAD~1; git bisect visualize git/../evil.sh ¦
  printf '100644 %s 1\\ta.txt\\n' $(git rev-parse HEAD:a.txt) | git update-index --index-info; git merge-index ./evil.sh -a ¦ git merge-index ./evil.sh -a ¦ git difftool -y -x ./evil.sh HEAD~1 ¦
  git rebase -x ./evil.sh HEAD~1 ¦ git rebase --exec=./evil.sh HEAD~1 ¦ git filter-branch --tree-filter ./evil.sh ¦ git grep -O./evil.sh one ¦ git -c alias.x='!./evil.sh' x ¦ git clone -u ./evil.sh . new ¦
  git fetch --upload-pack=./evil.sh . ¦ git push --receive-pack=./evil.sh . HEAD:refs/heads/new ¦ git fetch 'ext::./evil.sh' ¦ git archive --remote=. --exec=./evil.sh HEAD ¦ git hook run evil ¦ git for-each-repo --config=x gc`;

/** What an earlier part of the line changes of the repository that a later one talks to. */
function listPushLines(): string {
  const bringing = [
    ...[
      'git checkout main',
      'git switch main',
      'git switch -q main',
      'git merge --no-edit main',
      'git reset --hard main',
    ],
    ...[
      'git worktree add y main',
      'git checkout main -- planted',
      'git restore -s main planted src/deep.git',
    ],
    ...['git config branch.plain.remote planted', 'git remote add near ./planted', 'git cherry-pick main'],
    ...[
      'git pull . main',
      'git read-tree -u --reset main',
      'git archive main | tar x',
      'git rebase main',
      'true',
    ],
  ];
  const talking = [
    ...[
      'git push planted main',
      'git push ./planted HEAD:new',
      'git push src/deep main',
      'git push y/planted main',
    ],
    ...[
      'git push',
      'git push near main',
      'git fetch planted',
      'git ls-remote planted',
      'git push file://$PWD/planted main',
    ],
    ...['git -C planted add a.txt', 'git push --all planted'],
  ];
  const joins = ['; ', ' && ', '\n'];
  return bringing
    .flatMap((first, at) =>
      talking.map((then, index) => `${first}${joins[(at + index) % joins.length]}${then}`),
    )
    .join(' ¦ ');
}

/** Pathspecs, most of which are the names of no file. */
const pathspecs =
  ": ¦ :/ ¦ ':!docs' ¦ ':^docs' ¦ ':(exclude)docs' ¦ ':!/docs' ¦ ':(top,exclude)docs' ¦ ':(top)' ¦ ':(attr:!x)' ¦ '*' ¦ ':(icase)KEPT' ¦ ':(glob)**' ¦ . ¦ docs ¦ ':/docs' ¦ 'ke*' ¦ ':(literal)kept' ¦ k[e]pt ¦ :: ¦ ':(top)ci' ¦ app";

function listPathspecLines(commands: readonly string[]): string[] {
  const specs = pathspecs.split(' ¦ ');
  return commands.flatMap((command) => specs.map((spec) => `${command} ${spec}`));
}

const removingLines = [
  ...listPathspecLines([
    'git rm -rf',
    'git rm -r --cached',
    'git clean -fdx',
    'git clean -fd --',
    'git rm -rfq --',
  ]),
  ...listPathspecLines(['cd docs && git rm -rf']),
  ...['git clean -fdx', 'git rm -rf docs src kept', 'git rm', 'git clean -n'],
].join(' ¦ ');

const restoringLines = [
  ...listPathspecLines(['git restore', 'git checkout --', 'git checkout HEAD']),
  ...['git checkout-index -f -a', 'git checkout-index -f kept/inner/file.txt', 'git checkout-index -f a.txt'],
  ...[
    "printf 'a\\n' | git checkout -p",
    "printf 'a\\n' | git restore -p",
    'git sparse-checkout set docs',
    'git sparse-checkout list',
  ],
  ...[
    'git reset --hard',
    'git stash',
    'git stash push -m list',
    'git merge --abort',
    'git checkout -f',
    'git switch -f main',
  ],
  ...[
    'git bisect start HEAD HEAD~1; git bisect reset',
    'git read-tree -u --reset HEAD~1',
    'git submodule deinit -f --all',
  ],
].join(' ¦ ');

const treeLines = `
  git diff HEAD:src ¦ git diff HEAD:docs ¦ git diff-index -p HEAD:src ¦ git diff --cached HEAD:src ¦ git diff HEAD:a.txt ¦ git diff HEAD:src HEAD:docs ¦ git diff HEAD:src -- src ¦ git show HEAD:src ¦
  git diff main:src ¦ git diff-index --cached -p HEAD:docs ¦ git diff HEAD:secret HEAD:src ¦ git diff HEAD:src a.txt`;

/** Files of a revision beside what names references, and at the beginning of a range. */
const objectLines = `
  git show --all HEAD:a.txt ¦ git show --branches HEAD:a.txt ¦ git show HEAD:src --tags ¦ git show --branches=m\\* :a.txt ¦ git log -p --all HEAD:a.txt ¦ git log --cc --tags :0:a.txt ¦ git rev-list -p --all HEAD:a.txt ¦
  git reflog -p --all HEAD:a.txt ¦ git whatchanged -p --all HEAD:a.txt ¦ git show HEAD:a.txt..HEAD ¦ git show HEAD:a.txt.. ¦ git show HEAD:src/.. ¦ git show HEAD:src/../a.txt ¦ git log -p HEAD:a.txt..HEAD ¦ git show HEAD:a.txt...HEAD ¦
  git show HEAD:a.txt ¦ git show -g HEAD:a.txt ¦ git show --no-walk --all HEAD:a.txt ¦ git show HEAD~1..HEAD:a.txt ¦ git diff HEAD:a.txt..HEAD ¦ git cat-file -p HEAD:a.txt ¦ git show --not --all HEAD:a.txt`;

/** Git in directories behind links. */
const behindLines = ['near', 'in', 'part', 'near/.', 'src/deep']
  .flatMap((directory) => {
    const commands = [
      ...[
        'log -p',
        'diff',
        'show HEAD',
        'grep one',
        'grep one -- ..',
        'diff HEAD -- ..',
        'log -p -- ../more',
        'status -v',
      ],
      ...[
        "log -p -- '../mor*'",
        'grep one -- ../more',
        'diff -- ./../more/',
        "log -p -- '*nv'",
        'show HEAD -- .',
        'blame a.txt',
      ],
      ...[
        'show HEAD:../.env',
        'show HEAD:./a.txt',
        'show :../more/x.txt',
        "diff -- ':/src/more'",
        'log -p -- :/more',
      ],
    ];
    return commands.flatMap((command) => [
      `cd ${directory} && git ${command}`,
      `git -C ${directory} ${command}`,
    ]);
  })
  .join(' ¦ ');

/** Every reading subcommand, where reading the index takes more than reading. */
const indexLines = `
  git ls-files ¦ git ls-files -s ¦ git ls-files src ¦ git ls-files src/main.ts ¦ git -C src ls-files ¦ cd src && git ls-files ¦ git check-attr -a a.txt ¦ git check-ignore src/x ¦ git diff-files ¦ git diff-index HEAD ¦ git diff-index --cached HEAD ¦ git diff-tree HEAD ¦ git fsck ¦ git status ¦
  git diff ¦ git diff --cached ¦ git blame src/main.ts ¦ git rev-parse :src/main.ts ¦ git show :src/main.ts ¦ git cat-file -p :src/main.ts ¦ git log -1 ¦ git grep one -- src ¦ git stash list ¦ git clean -n ¦ git describe --always`;

/** Copies of what links lead to. */
const followingLines = `
  cp -rL src new ¦ cp -rL linkin new ¦ cp -rL linkin kept ¦ cp -r linkin/ new ¦ cp -r linkin/. docs ¦ cp -rH linkin new ¦ cp -r --dereference src docs ¦ cp -aL src empty ¦ rsync -a linkin/ new ¦ rsync -aL src new ¦ tar -chf new src ¦ cp -L linkfile new ¦
  cp -r src new ¦ cp -a linkin new`;

/** Git that a rule allows, where the repository sets programs for itself. */
const settingLines = `
  git rm -f a.txt ¦ git mv b.txt c.txt ¦ git add a.txt ¦ git commit -qam x ¦ git stash ¦ git checkout . ¦ git reset --hard ¦ git restore a.txt ¦ git merge v1 ¦ git rebase v1 ¦ git fetch . main ¦ git gc ¦ git clean -fd docs ¦ git worktree add new ¦
  git push . HEAD:refs/heads/new ¦ git branch new ¦ git tag new ¦ git update-ref refs/x HEAD ¦ git notes add -m x ¦ git config user.name x ¦ git symbolic-ref HEAD ¦ git rm -f a.txt; git status ¦ git push . HEAD:refs/heads/n && git diff-tree HEAD:src ¦
  git hash-object -w a.txt ¦ git write-tree ¦ git read-tree HEAD ¦ git checkout-index -f -a ¦ git update-index --refresh ¦ git pull . main ¦ git cherry-pick v1 ¦ git revert --no-edit HEAD ¦ git submodule status ¦ git archive HEAD ¦ git sparse-checkout set src ¦
  git repack -ad ¦ git prune ¦ git reflog expire --all ¦ git replace HEAD v1 ¦ git bundle create new HEAD ¦ git clone . new ¦ git init ¦ git commit-graph write ¦ git fast-export HEAD ¦ git bisect start ¦ git rerere ¦ git format-patch -1 ¦ git pack-refs`;

export const gitCorners: readonly Corner[] = [
  {
    layout: 'plain',
    rules: ['none', 'files', 'directory'],
    postures: ['rules', 'acceptEdits'],
    lines: followingLines,
  },
  { layout: 'brought', rules: ['none'], postures: ['git'], lines: listPushLines() },
  {
    layout: 'clean',
    rules: ['none', 'files', 'directory', 'directory-slash'],
    postures: ['rules'],
    lines: removingLines,
  },
  ...['clean', 'changed'].map((layout) => ({
    layout,
    rules: ['directory', 'directory-slash'],
    postures: ['git'],
    lines: restoringLines,
  })),
  ...['clean', 'nameless', 'changed'].map((layout) => ({
    layout,
    rules: ['files', 'one-file'],
    postures: ['default', 'Explore', 'plan'],
    lines: treeLines,
  })),
  ...['clean', 'changed', 'elsewhere'].map((layout) => ({
    layout,
    rules: ['files', 'one-file'],
    postures: ['default', 'Explore', 'plan'],
    lines: objectLines,
  })),
  ...['behind', 'led'].map((layout) => ({
    layout,
    rules: ['none', 'one-file'],
    postures: ['default', 'Explore', 'plan'],
    lines: behindLines,
  })),
  {
    layout: 'sparse',
    rules: ['none', 'directory'],
    postures: ['default', 'Explore', 'rules'],
    lines: indexLines,
  },
  ...['programs', 'include', 'git-file', 'bytes', 'submodule'].map((layout) => ({
    layout,
    rules: ['none'],
    postures: ['git'],
    lines: settingLines,
  })),
  ...['opened-users', 'opened-own', 'opened-refused', 'opened-included', 'opened-names', 'opened-beside'].map(
    (layout) => ({
      layout,
      rules: ['none', 'one-file'],
      postures: ['default', 'Explore'],
      lines: openedLines,
    }),
  ),
  ...['changed', 'deleted', 'stashed', 'elsewhere', 'absorbed'].map((layout) => ({
    layout,
    rules: ['none', 'one-file', 'directory'],
    postures: ['default', 'Explore', 'acceptEdits', 'rules'],
    lines: storedLines,
  })),
  {
    layout: 'clean',
    rules: ['none'],
    postures: ['git'],
    get lines() {
      return `${givenLines} ¦ ${listSubcommandLines()}`;
    },
  },
];
