import { helpTools } from '../../../src/permissions/shell/versions.data.ts';
import type { Maker } from './maker.ts';
import { anyFile } from './words.ts';

/** Lines that people write every day, with those that only look like them. */
export function everydayCommand(make: Maker): string {
  return make.choose('everyday', {
    revision: revisionLine,
    revision2: revisionLine,
    setting: (m) => `git -c ${setting(m)} ${m.chance(25) ? `-c ${setting(m)} ` : ''}${looking(m)}`,
    variable: (m) => `${variable(m)} ${m.chance(70) ? looking(m) : viewer(m)}`,
    braces,
    pairs,
    viewer,
    viewer2: (m) => `${looking(m)} | ${viewer(m)}`,
    help: (m) =>
      `${m.pick([...helpTools])} ${m.pick(['--help', '--help', '--version', '--help --version', '--help a.txt', '-h'])}`,
    check: (m) =>
      m.among(`
      bash -n lib.sh ¦ sh -n evil.sh ¦ bash -n ./evil.sh ¦ dash -n lib.sh ¦ bash -n < evil.sh ¦ bash -nc 'touch pwn' ¦ bash -n -c 'touch pwn' ¦
      bash -n ../x ¦ bash -n .env ¦ bash -n lib.sh x ¦ bash -n +n evil.sh ¦ bash -n nope ¦ bash -nx lib.sh ¦ bash -n -- evil.sh ¦ bash -n *.sh ¦ bash -n "$x" ¦
      bash +n evil.sh ¦ bash -n commands.txt ¦ bash -n linkout/secret.txt ¦ bash -N evil.sh ¦ /bin/sh -n evil.sh ¦ ./bash -n evil.sh ¦ ip addr ¦ ip -br a ¦
      ip route show ¦ ip addr flush ¦ ip link set lo down ¦ ip -b names.txt ¦ ip netns exec x ./evil.sh ¦ ip link show lo`),
    bracket: (m) =>
      m.among(`
      grep [o]ne a.txt ¦ ps aux | grep [n]ode ¦ cat [a].txt ¦ grep [o][n]e a.txt ¦ ls | grep [ab].txt ¦ sort [a].txt ¦
      grep [-]f names.txt ¦ cat [.]env ¦ sort [-]opwn a.txt ¦ cat [.][.]/x ¦ uniq [a].txt [b].txt`),
    place: (m) =>
      m.among(`echo \${PWD##*/} ¦ echo \${PWD%/*} ¦ basename \${PWD##*/} ¦ echo \${HOME#/} ¦ ls \${PWD##*/}`),
  });
}

/** Commands that print ids of commits; others print names that may be options, files or several words. */
function printing(make: Maker): string {
  const command = make.among(`
      git rev-parse HEAD ¦ git rev-parse HEAD ¦ git rev-parse --short HEAD~1 ¦ git rev-parse --verify -q nope ¦ git rev-parse nope ¦
      git rev-parse HEAD:.env ¦ git rev-parse HEAD:a.txt ¦ git rev-parse a.txt ¦ git rev-parse src/../../x ¦ git rev-parse ../x ¦
      git rev-parse --abbrev-ref HEAD ¦ git rev-parse v1 ¦ git rev-parse main ¦ git rev-parse 1 ¦ git rev-parse secret ¦ git rev-parse HEAD v1 ¦
      git rev-parse HEAD^{tree} ¦ git rev-parse HEAD~1..HEAD ¦ git rev-parse -- --output=pwn ¦ git rev-parse HEAD 2>&1 ¦ git rev-parse @{0} ¦
      git merge-base HEAD v1 ¦ git merge-base HEAD HEAD ¦ git merge-base HEAD nope ¦ git merge-base --all HEAD HEAD ¦
      git rev-list -n 2 HEAD ¦ git rev-list -1 HEAD ¦ git rev-list --all ¦ git rev-list --objects --all ¦ git rev-list --count HEAD ¦
      git log --format=%h -2 ¦ git log -n 1 --format=%H ¦ git log --format=%s -1 ¦ git log --format=%D -1 ¦ git log --pretty=format:%h -3 ¦
      git log --format=%h -1 a.txt ¦ git log --format=%h -1 -- .env ¦ git log --format=%h%n%s ¦ git describe --tags --abbrev=0 ¦ git describe --all ¦
      git tag ¦ git branch --show-current ¦ git branch --format='%(refname:short)' ¦ git for-each-ref --format='%(objectname)' ¦
      git -C sub rev-parse HEAD ¦ git -C src rev-parse HEAD ¦ git rev-parse --show-toplevel ¦ git rev-parse --git-dir ¦ echo HEAD ¦ cat a.txt ¦
      git rev-parse HEAD | head -1 ¦ git rev-parse "HEAD --output=pwn"`);
  make.mark(`printing:${command}`);
  return command;
}

function revisionLine(make: Maker): string {
  const printed = `$(${printing(make)})`;
  const shape = make.pick([
    'direct',
    'direct',
    'direct',
    'variable',
    'variable',
    'moved',
    'loop',
    'joined',
    'head',
    'subcommand',
  ]);
  make.mark(`revision:${shape}`);
  switch (shape) {
    case 'variable':
      return `h=${printed}${make.pick(['; ', ' && ', '\n'])}${withRevision(make, make.pick(['$h', '"$h"']))}`;
    case 'moved':
      return `h=${printed}; ${make.pick(['cd sub', 'cd src', 'cd ..', 'h=--output=pwn', 'read h < names.txt', 'h=$h--output=pwn'])}; ${withRevision(make, '$h')}`;
    case 'loop':
      return `for c in ${printed}; do ${withRevision(make, make.pick(['$c', '"$c"']))}; done`;
    case 'joined':
      return withRevision(
        make,
        make.pick([
          `${printed}..HEAD`,
          `HEAD..${printed}`,
          `"${printed}"...HEAD`,
          `${printed}..${printed}`,
          `${printed}~1`,
          `${printed}^`,
          `${printed}:.env`,
          `${printed}:a.txt`,
          `${printed}--output=pwn`,
          `-${printed}`,
          `${printed}..`,
          `../${printed}`,
          `${printed}/../../x`,
        ]),
      );
    case 'head':
      return make.pick([
        `git -C ${printed} log`,
        `git ${printed}`,
        `git ${printed} HEAD`,
        `git -c ${printed} log`,
        `git --no-pager ${printed}`,
      ]);
    case 'subcommand':
      return make.pick([
        `git symbolic-ref ${printed}`,
        `git branch ${printed}`,
        `git tag -l ${printed}`,
        `git reflog ${printed} expire`,
        `git diff --no-index ${printed} a.txt`,
        `git remote ${printed}`,
        `git stash ${printed}`,
        `cat ${printed}`,
        `echo ${printed}`,
        `sort ${printed} a.txt`,
      ]);
    default:
      return withRevision(make, make.chance(60) ? printed : `"${printed}"`);
  }
}

function withRevision(make: Maker, word: string): string {
  const before = make.among(`
      git show ¦ git show ¦ git show --stat ¦ git log ¦ git log -p ¦ git log --oneline -2 ¦ git diff ¦ git diff --stat ¦ git diff --name-only ¦
      git log --author ¦ git log -n ¦ git show -S ¦ git log -L ¦ git cat-file -p ¦ git ls-tree ¦ git grep one ¦ git blame a.txt ¦ git rev-list ¦ git describe ¦
      git diff-tree -p ¦ git range-diff HEAD ¦ git -c color.ui=never show ¦ git --no-pager show ¦ git log --grep ¦ git merge-base HEAD`);
  const behind = make.among(
    ' ¦  ¦  ¦  -- a.txt ¦  -- src ¦  -- main ¦  --output=pwn ¦  HEAD ¦  -- .env ¦  --stat ¦  ../x ¦  --no-notes',
  );
  make.mark(`with-revision:${before}`);
  return `${before} ${word}${behind === '' ? '' : ` ${behind}`}`;
}

function looking(make: Maker): string {
  return make
    .among(`
      log ¦ status ¦ diff ¦ show ¦ log -p ¦ diff --stat ¦ ls-files ¦ branch ¦ log --oneline -3 ¦ status --short ¦ blame a.txt ¦
      grep one ¦ diff HEAD ¦ stash list ¦ for-each-ref ¦ tag`)
    .replace(/^/, 'git ');
}

function setting(make: Maker): string {
  const text = make.among(`
      color.ui=never ¦ color.ui=always ¦ COLOR.UI=false ¦ color.diff=always ¦ core.pager=cat ¦ core.pager= ¦ core.pager=./evil.sh ¦ core.pager='cat;./evil.sh' ¦
      core.pager ¦ pager.log=false ¦ pager.diff=cat ¦ pager.log=./evil.sh ¦ pager.status=true ¦ core.fsmonitor=false ¦ core.fsmonitor=./evil.sh ¦ core.fsmonitor=true ¦
      core.hooksPath=/dev/null ¦ core.hooksPath=. ¦ diff.external=./evil.sh ¦ alias.log='!./evil.sh' ¦ core.quotePath=off ¦ core.quotepath=false ¦ diff.context=3 ¦
      diff.orderFile=../x ¦ diff.renames=copies ¦ diff.renames=true ¦ diff.noprefix=true ¦ status.showUntrackedFiles=all ¦ status.submoduleSummary=true ¦ status.short=1 ¦
      log.showSignature=true ¦ log.showSignature=false ¦ log.date=iso ¦ log.date=format:%s ¦ log.decorate=full ¦ core.worktree=.. ¦ include.path=../x ¦ core.attributesFile=../x ¦
      core.excludesFile=../outside/secret.txt ¦ diff.evil.textconv=./evil.sh ¦ filter.evil.clean=./evil.sh ¦ gc.auto=0 ¦ gc.auto=1 ¦ advice.detachedHead=false ¦ core.abbrev=8 ¦
      column.ui=always ¦ diff.submodule=diff ¦ diff.ignoreSubmodules=none ¦ core.untrackedCache=false ¦ core.untrackedCache=true ¦ stash.showPatch=true ¦ core.editor=./evil.sh ¦
      diff.algorithm=patience ¦ diff.colorMoved=zebra ¦ gpg.program=./evil.sh ¦ $x ¦ "color.ui=$x" ¦ notes.displayRef=* ¦ safe.bareRepository=all ¦ core.sshCommand=./evil.sh`);
  make.mark(`git-setting:${text}`);
  return text;
}

function variable(make: Maker): string {
  const text = make.among(`
      GIT_PAGER=cat ¦ GIT_PAGER= ¦ GIT_PAGER=./evil.sh ¦ GIT_PAGER='cat;touch pwn' ¦ GIT_PAGER='cat -n' ¦ PAGER=cat ¦ PAGER= ¦ PAGER=./evil.sh ¦ PAGER=less ¦ PAGER=$x ¦
      LESS=FRX ¦ LESS=-R ¦ LESS=-opwn ¦ LESS='+!touch pwn' ¦ LESS=opwn ¦ LESS=FRXo ¦ LESSOPEN='|./evil.sh %s' ¦ LESSOPEN='./evil.sh %s' ¦ LESSKEY=names.txt ¦ GIT_OPTIONAL_LOCKS=0 ¦ GIT_OPTIONAL_LOCKS=1 ¦
      GIT_TERMINAL_PROMPT=0 ¦ GIT_TERMINAL_PROMPT=1 ¦ PAGER=cat GIT_PAGER=cat ¦ GIT_PAGER=cat LESS=FRX ¦ env GIT_PAGER=cat ¦ PAGER=cat; ¦ GIT_PAGER=./evil.sh; ¦ MORE=-d ¦ GIT_CONFIG_PARAMETERS="'core.pager'='./evil.sh'"`);
  make.mark(`everyday-variable:${text}`);
  return text;
}

function braces(make: Maker): string {
  const text = make.among(`
      grep -rn one . --exclude-dir={src,a} ¦ grep --exclude-dir={node_modules,.git} -rn one . ¦ grep -r --{include,exclude}=x one src ¦ ls -{l,a} ¦ ls {-l,src} ¦ sort {a.txt,-opwn} ¦
      sort {-o,pwn} a.txt ¦ {cat,a.txt} ¦ {ls,..} ¦ cat {a,b}.txt ¦ {sort,-o,pwn} a.txt ¦ {./evil.sh,x} ¦ git {log,--output=pwn} ¦ git log --{oneline,output=pwn} ¦ rg {--pre,./evil.sh} one ¦
      {touch,pwn} ¦ cat {../x,a.txt} ¦ cat {.env,a.txt} ¦ {x=1,ls} ¦ {,ls} ¦ {ls,} ¦ cat {~/notes.txt,a.txt} ¦ head -n{1,2} a.txt ¦ tail -{n,c}1 a.txt ¦ git diff {HEAD,--no-index} ../x ¦
      grep {-e,one} {a,b}.txt ¦ sed {-n,1p} a.txt ¦ sed {-i,p} a.txt ¦ xxd {a.txt,pwn} ¦ uniq {a.txt,pwn} ¦ uniq {a,pwn}.txt ¦ bash {-c,ls} ¦ bash {-c,'touch pwn'} ¦ sh -c 'cat {a,b}.txt' ¦
      sh -c 'sort {a.txt,-opwn}' ¦ env {LC_ALL=C,ls} ¦ env {PATH=.,ls} ¦ echo {1..3} ¦ cat {a..b}.txt ¦ timeout {1,ls} ¦ xargs {cat,a.txt} < /dev/null ¦ find . {-name,x} ¦ find . {-name,x,-delete} ¦
      cat $x{a,b}.txt ¦ cat {a,$x}.txt ¦ cat {a,$(echo b)}.txt ¦ sort "{a.txt,-opwn}" ¦ cat {a,b}"".txt`);
  make.mark(`braces:${text}`);
  return text;
}

/** An option of jq that takes two words. */
function pairs(make: Maker): string {
  const text = make.among(`
      jq --arg a one '.[$a]' data.json ¦ jq --arg '.' data.json ¦ jq --arg a '.' data.json ¦ jq --arg a b --slurpfile x ../x . data.json ¦ jq --arg -f ../x . data.json ¦ jq -r --arg a "$x" '$a' data.json ¦
      jq --arg a b -f names.txt data.json ¦ jq --arg a b --rawfile x .env '$x' data.json ¦ jq --arg a b . ../x ¦ jq --argjson a 1 '$a' data.json ¦ jq --arg=a b . data.json ¦ jq -rarg a b . data.json ¦
      jq --args . ../x ¦ jq -n --arg a b input ../x ¦ jq --arg a b --argjson c 1 '[$a, $c]' data.json ¦ jq --arg --arg --arg . data.json ¦ jq --arg a $x . data.json ¦ jq --arg a {b,c} . data.json ¦
      jq --arg a b ¦ jq --arg a * . data.json ¦ jq --arg ENV b '$ENV' data.json ¦ jq --arg a -- -f ../x data.json ¦ jq . --arg a b data.json ¦ jq --argjson . data.json ../x ¦ jq --argfile a ../x . data.json`);
  make.mark(`pairs:${text}`);
  return text;
}

function viewer(make: Maker): string {
  const options = make.among(
    ` ¦ ¦ -N ¦ -FRX ¦ -R ¦ -S ¦ -opwn ¦ -o pwn ¦ -O pwn ¦ --log-file=pwn ¦ +G ¦ '+!touch pwn' ¦ ++G ¦ -k names.txt ¦ -tone ¦ -Tnames.txt ¦ -P%f ¦ -d ¦ -s ¦ -n 2 ¦ -p one ¦ -- ¦ -iFpwn ¦ --lesskey-src=names.txt ¦ +/one`,
  );
  const name = make.pick(['less', 'less', 'more', 'pr', 'shuf', 'view', 'most']);
  make.mark(`viewer:${name} ${options}`);
  return `${name} ${options} ${make.chance(75) ? anyFile(make) : ''}`.replaceAll(/ +/g, ' ').trim();
}
