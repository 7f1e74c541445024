import { gitCorners } from './corners-git.ts';
import { ripgrepCorners } from './corners-ripgrep.ts';
import { environmentBlob, namelessCommit } from './layout-refused.ts';

/** Lines that chance seldom makes, for a layout whose files are not what they seem. Judged for everyone. */
export interface Corner {
  readonly layout: string;
  readonly rules: readonly string[];
  readonly lines: string;
  readonly postures?: readonly string[];
}

/** What git shows of files that a rule refuses, in whatever state they are. */
const gitLines = `
  git diff ¦ git diff -q ¦ git diff --cached ¦ git diff HEAD ¦ git diff -- .env ¦ git diff -q -- .env ¦ git diff --no-color-moved ¦ git diff -- src ¦ git diff -- a.txt ¦
  git diff --output-indicator-new=+ ¦ git diff --name-only ¦ git diff --stat ¦ git diff --word-diff --stat ¦ git diff --summary -p ¦ git diff -s -p ¦ git diff --raw -U1 ¦
  git diff -S TOKEN ¦ git diff --quiet ¦ git diff --exit-code ¦ git diff --check ¦ git diff --relative ¦ git status ¦ git status -v ¦ git status -vv ¦ git log ¦ git log -p ¦ git log -1 --stat ¦
  git log -p -1 --no-color-moved ¦ git log --remerge-diff ¦ git log -p --all ¦ git log -p other ¦ git log -p --all -- src ¦ git log --follow -p a.txt ¦ git log -p -- src a.txt ¦
  git show ¦ git show HEAD ¦ git show other ¦ git show kept ¦ git show stash ¦ git show stash@{0} ¦ git show :.env ¦ git show :2:.env ¦ git show other:.env ¦ git show other:src/main.ts ¦
  git show ${environmentBlob} ¦ git cat-file -p ${environmentBlob} ¦ git cat-file blob ${environmentBlob.slice(0, 7)} ¦ git show ${environmentBlob.slice(0, 7)} ¦
  git show ${namelessCommit} ¦ git log -p ${namelessCommit.slice(0, 8)} ¦ git diff HEAD ${namelessCommit} ¦ git show ${namelessCommit}~0 ¦ git diff-tree -p --root ${namelessCommit} ¦
  git log -p FETCH_HEAD ¦ git show FETCH_HEAD ¦ git diff FETCH_HEAD ¦ git diff main other ¦ git diff other -- src ¦ git diff HEAD other -- a.txt ¦ git diff main...other ¦
  git stash show ¦ git stash show -p ¦ git stash list ¦ git stash list -p ¦ git blame .env ¦ git blame a.txt ¦ git blame other -- .env ¦ git grep TOKEN ¦ git grep --cached TOKEN ¦
  git grep TOKEN other ¦ git grep one -- a.txt ¦ git ls-files -u ¦ git cat-file --batch-all-objects --batch ¦ git cat-file --batch < names.txt ¦ echo :.env | git cat-file --batch ¦
  git diff-files -p ¦ git diff-index -p HEAD ¦ git diff-tree -p HEAD ¦ git diff-tree -p other ¦ git show --notes ¦ git log --notes ¦ git log --notes=more ¦ git notes show ¦ git log --no-notes ¦
  git log -1 --no-notes --notes=more ¦ git log --format=%N ¦ git log --show-notes=* ¦ git diff --merge-base other ¦ git diff --ours ¦ git diff --base -- a.txt ¦ git diff --cc ¦ git reflog -p ¦
  git log -g -p ¦ git range-diff HEAD~1..HEAD HEAD~1..HEAD ¦ git diff --no-index a.txt .env ¦ git log -L1,1:.env ¦ git log -G TOKEN --stat ¦ git log -G TOKEN ¦ git log --cc ¦ git log -m -p ¦
  git diff --submodule=diff --ignore-submodules=none ¦ git diff --submodule=log ¦ git diff --ignore-submodules=none ¦ git status --ignore-submodules=none ¦ git diff --submodule=diff ¦
  git -C sub diff ¦ git -C sub log -p ¦ cd sub && git diff ¦ cd src && git diff ¦ git -C src diff --relative ¦ git log -p --submodule=diff ¦ git show --submodule=diff ¦ git grep --recurse-submodules TOKEN`;

/** Options that take the next word, with another option in its place and a refused file behind that. */
const swallowedLines = `
  git show --encoding -S HEAD:.env -- a.txt ¦ git show --decorate-refs -S HEAD:.env -- a.txt ¦ git log -p --encoding -G other -- a.txt ¦ git show --date -S HEAD:.env -- a.txt ¦
  git show --diff-filter -G HEAD:.env -- a.txt ¦ git diff -l -S other -- a.txt ¦ git diff HEAD -- --no-index :/ ¦ git diff --cached -- --no-index . ¦ git grep -A -e one -- a.txt ¦
  tree --timefmt -I .. ¦ tree --charset -P .. ¦ tree --sort -I ..`;

/** The same lines with `--` before the last operand: some subcommands take what is behind it for an object all the same. */
function separateLast(lines: string): string {
  return lines
    .split('¦')
    .map((line) => line.trim())
    .filter(
      (line) => /^git [\w-]+ [^|<>$;&]*[^-\s|<>$;&]\S*$/.test(line) && !/ -- | \S*=\S*$| -\S*$/.test(line),
    )
    .filter((line) => line.split(' ').length > 2)
    .map((line) => line.replace(/ (\S+)$/, ' -- $1'))
    .join(' ¦ ');
}

/** Ids that git prints, of commits and of other things. */
const revisionLines = `
  git show $(git rev-parse HEAD) ¦ git show $(git rev-parse --short HEAD) ¦ git show $(git log -1 --format=%h) ¦ h=$(git rev-parse --short HEAD); git show --stat $h ¦ git diff $(git rev-parse --short HEAD) ¦ git show $(git rev-parse other) ¦ git show "$(git rev-parse HEAD~1)" ¦ git show $(git rev-parse HEAD:.env) ¦ git show $(git rev-parse :.env) ¦ git show $(git rev-parse stash) ¦
  git show $(git rev-parse kept) ¦ git show $(git rev-parse FETCH_HEAD) ¦ git show $(git rev-parse ${environmentBlob}) ¦ git show $(git rev-parse ${namelessCommit}) ¦ git cat-file -p $(git rev-parse HEAD:.env) ¦
  git cat-file -p $(git rev-parse HEAD) ¦ h=$(git rev-parse other); git show $h ¦ h=$(git rev-parse HEAD:.env); git show $h ¦ h=$(git rev-parse HEAD); cd sub; git show $h ¦ h=$(git rev-parse other); git diff $h ¦
  for c in $(git rev-list --all); do git show $c; done ¦ for c in $(git rev-list --objects --all); do git show $c; done ¦ for c in $(git log --format=%h -3); do git show --stat $c; done ¦ for c in $(git log --format=%h -3); do git show $c; done ¦
  git diff $(git merge-base main other) ¦ git log -p $(git merge-base main other)..other ¦ git log -p --until $(git rev-parse -q --verify nope) -- other ¦ git log -p --author $(git rev-parse -q --verify nope) -- main ¦ git log -p -S $(git rev-parse -q --verify nope) -- other ¦
  git log -p $(git rev-parse HEAD) -- src ¦ git diff $(git rev-parse other) -- a.txt ¦ git grep TOKEN $(git rev-parse other) ¦ git show $(git log -1 --format=%h -- .env) ¦ git show $(git rev-parse HEAD^{tree}) ¦
  git log -p $(git rev-parse HEAD)..other ¦ git show $(git notes list) ¦ git show $(git for-each-ref --format='%(objectname)') ¦ git ls-tree -r $(git rev-parse HEAD) ¦ git blame $(git rev-parse other) -- .env ¦
  git show $(git rev-parse other):.env ¦ git show $(git rev-parse other):src/main.ts ¦ git diff-tree -p $(git rev-parse HEAD) ¦ git stash show $(git rev-parse stash) ¦ git range-diff $(git rev-parse HEAD~1)..HEAD HEAD~1..HEAD ¦
  git -c color.ui=never show ¦ git -c core.pager=cat diff ¦ GIT_PAGER=cat git log -p ¦ git -c status.showUntrackedFiles=all status ¦ git -c diff.renames=copies diff other`;

const separatedLines = separateLast(
  `${gitLines} ¦ git stash show -p stash@{0} ¦ git stash show -p 0 ¦ git status -v a.txt ¦ git status -vv src`,
);

export const corners: readonly Corner[] = [
  {
    layout: 'credential-links',
    rules: ['none', 'one-file'],
    lines: `
      grep -R one . ¦ grep -r one . ¦ grep -R one certs ¦ find . -type l -exec cat {} + ¦ find -L . -type f -exec cat {} + ¦
      ls -RL ¦ diff -r . src ¦ find . -name '*.key' -exec cat {} + ¦ find . -name '*.key' | xargs cat ¦ cat *.key ¦ cat s* ¦
      rg -L one ¦ rg -uuL one ¦ cat $(find . -name server.key) ¦ for f in *.key *.txt; do cat "$f"; done ¦ grep one state/* ¦
      cat state/keys.json ¦ grep -R one state ¦ grep -r one state/ ¦ find state/ -name '*.json' -exec cat {} + ¦
      cd state && cat keys.json ¦ cd certs && cat * ¦ cd sub && cat .aws/secret.txt ¦ grep -R one sub ¦ wc -l sub/.aws/* ¦
      cp -rL certs new ¦ cp server.key new ¦ cat < server.key ¦ head -c 20 server.key ¦ tree -l ¦ du -L ¦ sort server.key`,
  },
  {
    layout: 'credential-directories',
    rules: ['none', 'one-file'],
    lines: `
      find . -name known_hosts | xargs cat ¦ find . -name credentials -exec cat {} + ¦ grep -r --include='*.txt' one . ¦
      grep -r one . ¦ grep -r one sub ¦ rg --hidden one ¦ rg -uu one sub ¦ find sub -type f -exec cat {} + ¦ cat .ssh/* ¦
      cat .??h/known_hosts ¦ cat $(find . -name 'known*') ¦ find . -name 'n.md' -exec cat {} \\; ¦ cat sub/.ssh/n.md ¦
      cd .ssh && cat config ¦ cd sub && cat .ssh/n.md ¦ grep -r --include='*.md' one sub ¦ rg --hidden -g '*.md' one ¦
      for f in $(find . -name config) a.txt; do cat "$f"; done ¦ find .ssh -name config -exec cat {} + ¦ cat {.ssh,src}/*`,
  },
  {
    layout: 'hard-links',
    rules: ['none', 'one-file', 'files', 'directory'],
    lines: `
      cat notes.md ¦ cat docs/plain.md ¦ cat docs/copy.txt ¦ grep -r one docs ¦ grep -r TOKEN . ¦ cat docs/* ¦ cat *.md ¦
      find docs -name '*.md' -exec cat {} + ¦ find docs -name '*.txt' | xargs cat ¦ rg one docs ¦ cat docs/harmless.txt ¦
      echo x > shared.txt ¦ tee shared.txt < a.txt ¦ cp a.txt shared.txt ¦ sed -i s/o/0/ shared.txt ¦ echo x >> docs/copy.txt ¦
      mv docs new ¦ cp notes.md new ¦ cp -r docs new ¦ git grep -e TOKEN ¦ git show HEAD:notes.md ¦ git diff ¦ sort shared.txt`,
  },
  ...['ignore-links', 'ignore-around', 'ignore-git', 'ignore-same'].map((layout) => ({
    layout,
    rules: ['none', 'one-file', 'directory'],
    lines: `
      rg one ¦ rg one src ¦ rg one a ¦ rg one docs ¦ cd src && rg one ¦ cd docs; rg one ¦ rg --debug one src ¦ rg --files src ¦ rg -uu one src ¦ rg --hidden one docs ¦ fdfind x ¦
      fdfind x src ¦ fdfind . docs ¦ find src -name '*.ts' | xargs rg one ¦ find src -name '*.ts' -exec rg one {} + ¦ rg one src/*.ts ¦ rg one src/main.ts ¦ echo one | rg one ¦
      tree --gitignore ¦ tree --gitignore docs ¦ curl --version ¦ curl -V ¦ rg -n one -g '*.ts' ¦ for d in src docs; do rg one "$d"; done ¦ git status ¦ git grep one`,
  })),
  {
    layout: 'plain',
    rules: ['none', 'one-file'],
    lines: `
      cd src && find .. -maxdepth 1 -name linkfile -exec cat {} \\; ¦ cd docs && find ../ -type l -exec head -1 {} + ¦ cd a/b && find ../.. -maxdepth 1 -name .env -exec cat {} + ¦
      cd docs && find "$PWD"/.. -maxdepth 1 -name linkout -exec grep -rh o {} \\; ¦ cd src && find ../docs .. -name linkfile -exec wc -l {} + ¦ cd docs; find ../src -name up -exec ls -R {} + ¦
      cd docs && find .. -maxdepth 1 -name linkfile -print0 | xargs -0 cat ¦ cd docs && find ../l* -exec cat {} + ¦ cd docs && find .. -maxdepth 0 -exec ls -R {} + ¦ find src/../docs -type f -exec cat {} +`,
  },
  {
    layout: 'plain',
    rules: ['none', 'one-file', 'files'],
    lines: `
      find . -newermt 'TZ="../../x" 2020-01-01' ¦ find . -newerat "TZ="$PWD/.env" 2020-01-01" ¦ find src -newerct 2020-01-01 ¦ date -d 'TZ="../x" 2020-01-01' ¦ iconv -f ../x -t utf8 a.txt ¦
      iconv -f ./.env -t utf8 a.txt ¦ iconv -f latin1 -t utf8 a.txt ¦ touch -d 'TZ="./.env" now' a.txt ¦ realpath --relative-to=../x a.txt ¦ getconf PATH_MAX ../x ¦ date -d yesterday ¦
      curl -s -m1 -n http://127.0.0.1:9 ¦ curl -s -m1 -z .env http://127.0.0.1:9 ¦ tar --mtime=./.env -cf new.tar a.txt ¦ tar --mtime='TZ="./.env" now' -cf new.tar a.txt`,
  },
  {
    layout: 'sparse',
    rules: ['none', 'one-file', 'directory'],
    lines: `
      git grep --cached -e TOKEN ¦ git grep --cached one ¦ git grep -e TOKEN HEAD ¦ git show HEAD:private/.env ¦ git ls-files ¦
      git grep --cached TOKEN -- private ¦ git diff HEAD~1 ¦ git log -p ¦ git cat-file -p HEAD:private/.env ¦
      git show :private/.env ¦ git grep --cached one hidden ¦ git show HEAD ¦ git stash list -p ¦ git archive HEAD`,
  },
  {
    layout: 'plain',
    rules: ['one-file', 'directory', 'directory-slash', 'files'],
    lines: `
      find . -name '*.txt' -exec cat {} + ¦ find . -name '*.txt' | xargs cat ¦ cat $(find . -name '*.txt') ¦
      rg --files -g '*.txt' | xargs cat ¦ grep -r --include='*.txt' one . ¦ grep -rl one --include='*.md' . | xargs cat ¦
      for f in $(find . -name .env) $(find . -name '*.md'); do cat "$f"; done ¦ cat hid*/*.txt ¦ cat hidden/* ¦
      for f in $(find . -name '*.md') $(find . -name .env); do cat "$f"; done ¦ cd hidden && cat plain.txt ¦
      for d in hidden src; do grep -r one "$d"; done ¦ for d in src hidden; do cat "$d"/*; done ¦ find hidden -type f -exec cat {} + ¦
      cat $(find hidden -name '*.txt') $(find src -name '*.ts') ¦ cat */plain.txt ¦ rg one -g '*.md' ¦ cat src/.env a.txt ¦
      find . -path '*/deep/*' -name '*.md' -exec cat {} + ¦ find . -iname '*.MD' -exec cat {} + ¦ cat hidden/../.env ¦
      ls -d hid* | xargs -I{} cat {}/plain.txt ¦ cp -r hidden new ¦ mv hidden new ¦ mv kept new ¦ rm -r kept ¦ sed -i s/k/x/ kept/inner/file.txt`,
  },
  {
    layout: 'plain',
    rules: ['one-file', 'files', 'none'],
    lines: `
      cat <> .env ¦ cat <> a.txt ¦ cat 0<> .env ¦ while read -r f; do echo "$f"; done <> .env ¦ cat <> secret/key.txt ¦ cat < .env ¦
      { cat; } <> src/.env ¦ cat 3<> .env <&3 ¦ echo x 1<> .env ¦ cat <> ../x ¦ cat <> linkfile ¦ cat < linkenv ¦ cat <> .npmrc ¦
      sh -c '[[ x || ./evil.sh ]]' ¦ sh -c '[[ a > pwn ]]' ¦ dash -c '[[ x && ./evil.sh ]] || true' ¦ sh -c '((1>pwn))' ¦ test -v 'a[$(touch pwn)]' ¦ find . -name x -delete ¦ find src -type f -delete ¦ find . -fprint pwn ¦
      cd a/b; cat ../../x ¦ cd nope; cat ../x ¦ cd nope/x; cat ../../a.txt ¦ true || cd a/b; cat ../../x ¦ if true; then cd a; fi; cat ../x ¦
      echo 'touch pwn' | xargs -I A -I ls sh -c ls ¦ echo '-exec touch pwn ;' | xargs -I{} -n5 find . -maxdepth 0 ¦
      echo ../outside/secret.txt | xargs -I A -I B cat B ¦ find . -name '*.txt' | xargs -d '\\n' -d ' ' cat ¦
      find . -name a.txt | xargs -I -0 cat -0 ¦ echo ../x | xargs -i cat ¦ echo '../x' | xargs -I{} -L1 cat ¦ echo .env | xargs -I{} cat {} ¦
      echo a.txt | xargs -n1 -I{} cat {} ¦ find . -name '*.txt' | xargs -0 -d ' ' cat ¦ find src -print0 | xargs -0 cat ¦
      echo $(date | sort 5) ¦ echo $(date | tac 5) ¦ echo $(date | uniq 5) ¦ echo $(date | head 5) ¦ echo $(echo a | tr a '*') ¦ echo $(date | tail -n 1 5) ¦ echo $(ls | tac 5) ¦ echo $(echo xx | tr x .*) ¦
      echo $(echo ../x | tr -d x) ¦ echo $(printf '..%s' / | tr -s /)* ¦ cat $(echo _/x | tr _ .) ¦ echo $(echo ../b | tr ab ')-+') ¦ echo $(echo b | tr ab ')-+')`,
  },
  {
    layout: 'plain',
    rules: ['one-file', 'files', 'directory'],
    postures: ['rules'],
    lines: `
      curl -s -H @.env http://127.0.0.1:9 ¦ curl -s -H @a.txt http://127.0.0.1:9 ¦ curl -s -d @.env http://127.0.0.1:9 ¦ curl -s -F a=@.env http://127.0.0.1:9 ¦
      curl -s "file://$PWD/.env" ¦ curl -s -T .env http://127.0.0.1:9 ¦ curl -s -K .env ¦ curl -s --json @.env http://127.0.0.1:9 ¦ curl -s -b .env http://127.0.0.1:9 ¦
      curl -s -F 'a=@".env"' http://127.0.0.1:9 ¦ curl -s -F a=@a.txt,.env http://127.0.0.1:9 ¦ curl -s -F 'a=<.env' http://127.0.0.1:9 ¦ curl -s --data-urlencode @.env http://127.0.0.1:9 ¦
      wget -q -T1 -t1 -i .env ¦ wget -q -T1 -t1 --post-file=.env http://127.0.0.1:9 ¦ wget -q -T1 -t1 --post-file=a.txt -O - http://127.0.0.1:9 ¦
      jq -R . .env ¦ jq -n --rawfile x .env '$x' ¦ jq -L . -n 'import "data" as $x; $x' ¦ jq -f .env ¦ jq -n 'import "secret/data" as $x; $x' ¦ jq -L secret -n 'import "data" as $x; $x' ¦ jq -L. -n 'import "./secret/data" as $x; $x' ¦ jq -nR --slurpfile x data.json inputs .env ¦ jq . data.json ¦
      strings .env ¦ strings @names.txt ¦ strings a.txt ¦ awk 1 .env ¦ awk -f .env ¦ awk '{while((getline l < ".env")>0) print l}' a.txt ¦ awk 1 f=1 .env ¦
      sed p .env ¦ sed 'r .env' a.txt ¦ sed -f .env a.txt ¦ sed -n 1p a.txt ¦ grep -f .env a.txt ¦ rg T .env ¦ rg -uu TOKEN ¦ head .env ¦ cat .e* ¦ diff a.txt .env ¦
      base64 .env ¦ hexdump -C .env ¦ grep -r TOKEN . ¦ rg --pre cat one ¦ strings hidden/plain.txt ¦ awk 1 hidden/plain.txt ¦ grep -rh one hidden`,
  },
  {
    layout: 'plain',
    rules: ['one-file', 'files', 'directory'],
    postures: ['rules'],
    lines: `
      grep -d recurse o . ¦ grep -d rec o . ¦ grep -drecurse o ¦ grep --dir=rec o . ¦ grep --recurs o . ¦ grep --dereference-rec o . ¦ egrep -d recurse o . ¦ fgrep --recurs o . ¦
      grep -d recurse o docs ¦ grep --recurs o docs ¦ grep -r "$q" . ¦ grep --line-num o a.txt ¦ diff --recurs . src ¦ diff --rec hidden docs ¦ diff -r "$d" . ¦ wc --files0=names0 ¦
      wc --fil=names0 ¦ wc --lin a.txt ¦ du --fil=names0 -a ¦ sort --files0=names0 ¦ md5sum -c sums.txt ¦ md5sum --che sums.txt ¦ sha256sum -wc sums.txt ¦ tar cT names.txt ¦
      tar -c --files-f=names.txt ¦ cat .*/.env ¦ cat .?*/.e* ¦ cat src/.*/.env ¦ head .*/secret/* ¦ cut -c1- .?*/hidden/* ¦ awk 1 src/*/../.env ¦ cat */../.env ¦ tac docs/.*/docs/*.md ¦ sh -c 'cat .*/.env' ¦ sh -c 'cat .?*/.e*' ¦ sh -c 'head src/.*/.env' ¦ dash -c 'cut -c1- .?*/hidden/*' ¦ sh -c 'tac docs/.?*/secret/*' ¦
      curl -s -T '{a.txt,.env}' http://127.0.0.1:9 ¦ curl -s -T '.e[n-n]v' http://127.0.0.1:9 ¦ curl -s -F 'x=@a.txt;headers=@.env' http://127.0.0.1:9 ¦ curl -s "file://$PWD/.e[n-n]v" ¦
      curl -s -E .env:pw https://127.0.0.1:9 ¦ curl -s "file://$PWD/{a.txt,.env}" ¦ cat < /dev/tcp/127.0.0.1/9 ¦ cat a.txt > /dev/tcp/127.0.0.1/9 ¦ echo x > /dev/udp/127.0.0.1/9 ¦
      awk 1 /inet/tcp/0/127.0.0.1/9 ¦ awk 1 a.txt /inet/udp/0/127.0.0.1/9 ¦ read -r x < /dev/tcp/127.0.0.1/9 ¦ cat < /dev/null ¦ cat < /dev/zero | head -c1`,
  },
  {
    layout: 'plain',
    rules: ['none'],
    postures: ['bypass'],
    lines: `
      cat < ~/.cad\${x}re/keys.json ¦ sort < ~/.cadre/$x"keys.json" ¦ { cat; } < "$HOME/.cadre/key\${x}s.json" ¦ cd ~ && cat .cad\${x}re/keys.json ¦
      while read -r l; do echo "$l"; done < ~/.cadre/\${x}keys.json ¦ cat <> ~/.cad$(true)re/keys.json ¦ echo x >> ~/.cad\${x}re/keys.json ¦
      cat ~/.*/*.json ¦ grep -d recurse '' ~/.cadre ¦ grep --directories=recurse '' ~/.cadre ¦ cd ~/.cad*; cat k* ¦ cd ~/.c* && cat keys.json ¦ cd ~/.c*; grep -r o ¦ cd; cat .cadre/k* ¦
      find ~ -maxdepth 1 -name '.c*' -exec grep -rh o {} + ¦ find ~ -name '.c*' | xargs grep -rh o ¦ find ~ -name '.c*' -exec cat {}/keys.json \\; ¦ cd ~ && git grep --no-index '' ¦
      x=$(echo keys); cat ~/.cadre/$x.json ¦ cat "$HOME/.cadre/$(echo keys).json" ¦ d=.cadre; cat ~/$d/keys.json ¦ find ~ -type f | tar cT - ¦ tar c -T <(find ~ -type f) ¦
      find ~ -type f | while read -r f; do cat "$f"; done ¦ find ~ -type f | xargs cat ¦ curl -s "file://$HOME/.cadre/ke[y-y]s.json" ¦ curl -s "file://$HOME/.cadre/{x,keys}.json" ¦
      cp -r ~/.c* new ¦ tar -cf new ~ ¦ cat ~/.?adre/keys.jso[n] ¦ grep -r o ~/a ~/.c* ¦ cat ~/a/.*/*/k* ¦ cat ~/notes.txt ¦ grep -d recurse o ~/a ¦ cat ~/a*/b/x`,
  },
  {
    layout: 'split',
    rules: ['none', 'one-file'],
    postures: ['default', 'Explore', 'rules', 'acceptEdits'],
    lines: `
      git diff -- $(find . -name notes.txt) ¦ git diff -U0 -- $(find . -name secret.txt -path '*x *') ¦ git diff -- $(find . -name 'no[*]') ¦ git diff -- \`find . -name notes.txt\` ¦ git diff -- $(find . -name notes.txt | head -1) ¦
      find . -name notes.txt | xargs git diff -- ¦ git ls-files -- '*notes.txt' | xargs git diff -- ¦ git ls-files | xargs -n 2 git diff -- ¦ git diff -- $(git ls-files -- '*notes.txt') ¦ echo x*/*/*/*/*/*/*/notes.txt | xargs git diff -- ¦
      x=$(find . -name notes.txt); git diff -- $x ¦ find . -name notes.txt | while read -r a; do git diff -- $a; done ¦ timeout 5 git diff -- $(find . -name notes.txt) ¦ bash -c 'git diff -- $(find . -name notes.txt)' ¦ git -C . diff -- $(find . -name notes.txt) ¦
      git diff --stat -- $(find . -name 'no[*]') ¦ git diff --raw -- $(find . -name notes.txt) ¦ git log -p -- $(find src -name '*en*') ¦ git grep -e one -- $(find src -name '*en*') ¦ rg -l split | xargs git diff -- ¦ git diff -- $(grep -rl split .) ¦
      echo $(rg --files) ¦ printf '%s\\n' $(find . -type f) ¦ for f in $(find . -type f); do echo $f; done ¦ for f in $(git ls-files); do echo "$f"; done ¦ a=($(find . -type f)); echo "\${a[0]}" ¦ basename -a $(find . -type f) ¦
      find . -type f | while read -r f; do echo \${f%.ts}; done ¦ find . -type f | while read -r f; do echo "$f"; done ¦ ls | xargs echo ¦ echo "$(find .)" ¦ cat $(find . -name notes.txt) ¦ find . -name notes.txt -exec git diff -- {} + ¦
      for f in $(find . -name post-commit); do cp a.txt $f; done ¦ cp a.txt $(find . -name post-commit) ¦ tee $(find . -name '.bash*') < a.txt ¦ find . -name post-commit | while read -r f; do cp a.txt $f; done ¦ find . -name post-commit | xargs cp a.txt ¦
      cat $(find src -name '*en*') ¦ find src -type f | xargs cat ¦ grep -rl split src | xargs cat ¦ rg -l split src docs | xargs cat ¦ cat $(git ls-files src) ¦ git ls-files '*en*' | xargs cat ¦ find src -name '*.ts' | xargs cat ¦
      find src -type f | while read -r f; do cat "$f"; done ¦ find docs -name '*.md' | xargs cat ¦ cat $(find docs ./src/deep -type f) ¦ find 'x '* -type f | xargs cat ¦ grep -rl split --include='*.txt' . | xargs cat ¦ git ls-files '*.txt' | xargs cat ¦
      mkdir -p 'src/y ../*'; cat $(find src -type f) ¦ mkdir -p 'y ../*'; echo $(find .) ¦ touch $(find . -name post-commit) ¦ sed -i s/o/0/ $(find . -name post-commit)`,
  },
  {
    layout: 'loose',
    rules: ['one-file', 'none'],
    postures: ['default', 'Explore', 'rules'],
    lines: `
      git grep --untracked -e TOKEN -e canary ¦ git grep --untracked canary ¦ cd src && git grep --untracked -e canary -- .. ¦ git -C src grep --untracked canary -- .. ¦ git grep --untracked canary -- :/ ¦
      git grep --untracked canary -- ':(top)' ¦ git grep --untracked canary -- '*' ¦ git grep --untracked canary -- hidden ¦ git grep --untracked one -- docs ¦ git grep --untracked canary -- ':(icase).ENV' ¦
      git grep --untr canary ¦ git grep --no-index canary ¦ git grep --untracked --max-depth=0 canary ¦ git grep --untracked canary -- ':!a.txt' ¦ git grep one ¦ git grep --cached canary ¦ git status ¦ git diff`,
  },
  {
    layout: 'around',
    rules: ['none'],
    postures: ['default', 'Explore', 'rules'],
    lines: `
      git diff ¦ git diff -- a.txt ¦ git diff -- . ¦ git diff -- .. ¦ git diff -- :/ ¦ git diff -- ../around.txt ¦ git diff --stat ¦ git status ¦ git log -p ¦ git log -p -- ../around.txt ¦ git show ¦ git show HEAD:around.txt ¦
      git show HEAD:.env ¦ git grep one ¦ git grep one -- .. ¦ git grep canary -- :/ ¦ git grep one -- :/around.txt ¦ git grep one -- ':(top)docs' ¦ git grep -n '' -- ':(top,icase)AROUND.TXT' ¦ git grep canary -- ':(top,glob)**' ¦
      git grep --untracked canary -- .. ¦ git grep --untracked canary -- :/ ¦ git grep --untracked one ¦ git -C .. diff ¦ git -C .. grep canary ¦ git -C .. grep --untracked canary ¦ git -C .. status ¦ git -C ../.. status ¦
      git -C .. diff -- around.txt ¦ git -C .. grep one -- around.txt docs ¦ git blame ../around.txt ¦ git blame ../a.txt ¦ git diff ../a.txt ¦ git diff ../a.txt a.txt ¦ git diff -- ../../x ¦ git diff --no-index ../a.txt a.txt ¦ cat ../around.txt ¦
      cd src && git grep one -- ../.. ¦ cd src && git diff -- ../../around.txt ¦ git ls-files ../ ¦ git ls-files -o .. ¦ git stash list -p`,
  },
  ...[
    'changed',
    'staged',
    'deleted',
    'stashed',
    'elsewhere',
    'nameless',
    'misnamed',
    'noted',
    'merging',
    'absorbed',
  ].map((layout) => ({
    layout,
    rules: ['one-file'],
    postures: ['default', 'rules'],
    lines: `${gitLines} ¦ ${revisionLines} ¦ ${separatedLines} ¦ ${swallowedLines}`,
  })),
  {
    layout: 'programs',
    rules: ['one-file', 'directory'],
    postures: ['default', 'plan'],
    lines: 'cat .env ¦ rg one ¦ grep -r one . ¦ cat hidden/plain.txt ¦ cat a.txt ¦ grep -rn one src',
  },
  {
    layout: 'dashed',
    rules: ['none'],
    postures: ['default', 'Explore'],
    lines: `
      git show $(git tag) ¦ git show "$(git tag)" ¦ git show $(git branch --show-current) ¦ git show $(git describe --all) ¦ git log $(git rev-parse --abbrev-ref HEAD) ¦ git log $(git symbolic-ref --short HEAD) ¦
      git show $(git rev-parse -q --verify nope)--output=pwn ¦ git diff $(git merge-base HEAD nope)--output=pwn ¦ git show $(git rev-parse HEAD) ¦ for b in $(git branch --format='%(refname:short)'); do git show $b; done ¦
      for c in $(git rev-list --all); do git show $c; done ¦ h=$(git tag); git show $h ¦ h=$(git rev-parse HEAD); git show $h ¦ git log --format=%D -1 | xargs git show ¦ git diff $(git rev-list -n 2 HEAD) ¦ git log HEAD..$(git tag)`,
  },
  {
    layout: 'programs',
    rules: ['none'],
    postures: ['default', 'acceptEdits'],
    lines: `
      git -c core.fsmonitor=./evil.sh status ¦ git -c core.fsmonitor=false status ¦ git -c core.pager=cat log ¦ GIT_PAGER=cat git log ¦ git -c alias.log='!./evil.sh' log ¦ git -c diff.external=./evil.sh diff --no-textconv ¦
      git -c core.quotepath=off ls-files ¦ git -c filter.evil.clean=./evil.sh status ¦ git -c color.ui=never diff --no-ext-diff --no-textconv ¦ git -c diff.evil.textconv=./evil.sh log -p ¦
      git diff ¦ git diff --no-textconv ¦ git diff --no-ext-diff ¦ git diff --no-ext-diff --no-textconv ¦ git diff HEAD --no-textconv ¦ git diff -q --no-textconv ¦
      git log -p ¦ git log -p --no-textconv ¦ git show ¦ git show HEAD:a.txt ¦ git blame a.txt ¦ git blame --no-textconv a.txt ¦ git log -G one ¦ git log -S one --stat ¦
      git diff --stat ¦ git diff --no-index a.txt b.txt ¦ git stash list -p ¦ git reflog -p ¦ git diff-files -p ¦ git diff-index -p HEAD ¦ git range-diff HEAD~1..HEAD HEAD~1..HEAD`,
  },
  {
    layout: 'clean',
    rules: ['files', 'none'],
    postures: ['rules', 'acceptEdits'],
    lines: `
      git diff --output=.npmrc HEAD~1 ¦ git diff --outpu=.npmrc HEAD~1 ¦ git diff --outp .npmrc HEAD~1 ¦ git log --output=kept/inner/x ¦ git log --outp=kept/inner/x -1 ¦
      git show --ou=kept/inner/x ¦ git diff --output kept/inner/new HEAD~1 ¦ git log -1 --output=.husky/x ¦ git show --output=new ¦ git diff --output=new HEAD~1 ¦
      git -C src diff --output=../.npmrc HEAD~1 ¦ git log -1 --out=.npmrc ¦ git blame --output=.npmrc a.txt ¦ git stash show --output=.npmrc ¦ sort -o .npmrc a.txt ¦
      strings @names.txt ¦ git log -p --no-color-moved --remerge-diff`,
  },
  {
    layout: 'option-names',
    rules: ['none', 'one-file'],
    lines: `
      grep one -[R] ¦ grep -c one -[r] src ¦ grep one "-"[R] ¦ grep one \\-? ¦ grep -[f]../x a.txt ¦ grep -[R]L one ¦ x='-[R]'; grep one $x ¦ x=-; grep one $x[R] ¦
      for f in -[R]; do grep one "$f"; done ¦ sh -c 'grep one -[R]' ¦ find a -exec grep one -[R] {} + ¦ ls | xargs grep one -[R] ¦ wc -l -[-]files0-from=../x ¦
      wc --files0-fro[m]=../x ¦ du -[-]files0-from=../x ¦ sha256sum -[c] sums.txt ¦ md5sum -[!x] sums.txt ¦ cksum -* ¦ ls -[R]L ¦ ls * ¦ stat -[L]* ¦ cat -* ¦ head -? a.txt ¦
      wc --files0-from=[x] ¦ du --files0-from=[x] ¦ wc -l --files0-from=? ¦ grep -f[x] a.txt ¦ grep -[q] one ¦ grep -rn one --include=*.ts src ¦ grep --include=*.ts -rn one src ¦ grep -rl one --include=*.{ts,md} docs ¦
      grep one -- -[R] ¦ wc -l ./-* ¦ sort -[c] a.txt ¦ diff -[r] src docs ¦ git diff -[s] ¦ git branch -[d] x ¦ test -[v] 'a[$(touch pwn)]' ¦ find . -[d]elete`,
  },
  {
    layout: 'runs',
    rules: ['none'],
    lines: `
      echo x > tools/a.sh ¦ echo x > tools/long.sh ¦ echo x > tools/re.sh ¦ echo x > hooks.d/pre-push ¦ cp a.txt tools/watch/main.js ¦
      tee tools/a.sh < a.txt ¦ mv a.txt tools/a.sh ¦ sed -i s/x/y/ tools/a.sh ¦ rm -r tools ¦ mv tools new ¦ cd tools && echo x > a.sh ¦
      cp -r src/. tools ¦ for f in a.sh b.sh; do cp a.txt "tools/$f"; done ¦ touch hooks.d/post-commit ¦ mkdir tools/new`,
  },
  {
    layout: 'large',
    rules: ['none'],
    postures: ['Explore', 'bypass', 'default'],
    lines:
      'grep -r TOKEN docs ¦ rg one ¦ rg one more ¦ rg one src ¦ cat many/* ¦ grep -R one . ¦ cat docs/notes.md ¦ head -1 many/n4* ¦ echo many/*/* ¦ ls many/*/x ¦ ls -d many/*/secret.txt ¦ find many -type l -exec cat {} +',
  },
  {
    layout: 'large',
    rules: ['one-file'],
    postures: ['default'],
    lines: 'grep -r TOKEN docs ¦ cat docs/notes.md ¦ cat docs/*',
  },
  ...['pipes', 'pipe-index'].map((layout) => ({
    layout,
    rules: ['one-file'],
    postures: ['Explore', 'acceptEdits'],
    lines:
      'git status ¦ grep -r one . ¦ rg one ¦ cat pipe ¦ git grep one ¦ git log -p ¦ rm -r docs ¦ cp a.txt new ¦ git diff ¦ find . -name x -exec cat {} +',
  })),
  ...gitCorners,
  ...ripgrepCorners,
];
