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

export const gitCorners: readonly Corner[] = [
  ...['opened-users', 'opened-own', 'opened-refused', 'opened-included', 'opened-names'].map((layout) => ({
    layout,
    rules: ['none', 'one-file'],
    postures: ['default', 'Explore'],
    lines: openedLines,
  })),
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
