import { type Maker, quote } from './maker.ts';

/** A variable set for, or before, a program that a rule allows and that evaluates what it finds there. */
export function settingCommand(make: Maker): string {
  const name = make.among(settings);
  make.mark(`setting:${name}`);
  const text = make.chance(40) ? make.among(plainValues) : make.among(evaluatedValues);
  const set = `${name}=${text === '' || /^[\w.:,*-]+$/.test(text) ? text : quote(text)}`;
  const run = make.pick(['make check', 'bash check.sh', 'make check -s']);
  return make.choose('set-before', {
    prefix: () => `${set} ${run}`,
    line: () => `${set}; ${run}`,
    chain: () => `${set} && ${run}`,
    env: () => `env ${set} ${run}`,
    wrapped: () => `timeout 5 env ${set} ${run}`,
    outer: () => `${set} timeout 5 ${run}`,
    export: () => `export ${set}; ${run}`,
    copied: () => `x=${quote(text)}; ${name}=$x ${run}`,
    computed: () => `${name}="$(echo ${quote(text)})" ${run}`,
  });
}

const settings = `
  CI ¦ DEBUG ¦ VERBOSE ¦ NODE_ENV ¦ RUST_LOG ¦ RUST_BACKTRACE ¦ COLUMNS ¦ LINES ¦ FORCE_COLOR ¦ NO_COLOR ¦ CLICOLOR ¦
  LS_COLORS ¦ GREP_COLORS ¦ GOOS ¦ CGO_ENABLED ¦ LANG ¦ LC_ALL ¦ TERM ¦ TZ ¦ LANGUAGE ¦ PYTHONUNBUFFERED ¦ x ¦ PATH`;
const plainValues =
  '1 ¦ 0 ¦ true ¦ C ¦ UTC ¦ app:* ¦ debug ¦ full ¦ test ¦ dumb ¦ linux ¦ 200 ¦ en_US.UTF-8 ¦ mt=01;31';
const evaluatedValues = `
  $(shell touch pwn) ¦ \${shell ./evil.sh} ¦ a[$(touch pwn)] ¦ a[\`./evil.sh\`] ¦ PATH=0 ¦ 1;touch pwn ¦ $(touch pwn) ¦
  $(eval all:) ¦ a[$(< .env)] ¦ 1),1)$(shell touch pwn) ¦ $(file > pwn,x) ¦ x:a[$(touch pwn)] ¦ *a[$(touch pwn)]`;

/** A program that a rule allows, given a file or a script that the shell still has to compute. */
export function computedCommand(make: Maker): string {
  const file = computedWord(make);
  return make.choose('computed-for', {
    write: (m) => `${m.pick(['tee', 'touch', 'truncate -s0', 'mkdir', 'tee -a', 'mkfifo'])} ${file} < a.txt`,
    behind: (m) =>
      `${m.pick(['cp a.txt', 'mv a.txt', 'install a.txt', 'ln a.txt', 'rm', 'gzip', 'tee'])} -- ${file} < a.txt`,
    into: (m) => `${m.pick(['cp', 'mv', 'ln -s', 'rsync'])} a.txt ${file}`,
    option: (m) =>
      `${m.pick(['sort a.txt -o', 'shuf a.txt -o', 'iconv a.txt -o', 'sort a.txt --output'])} ${file}`,
    joined: (m) => `${m.pick(['sort a.txt --output=', 'shuf a.txt --output=', 'sort a.txt -o'])}${file}`,
    dd: () => `dd if=a.txt of=${file}`,
    dd2: () => `dd if=a.txt bs=${file}`,
    find: (m) => `find . -maxdepth 0 ${m.pick(['-fprint', '-fprint0', '-fls'])} ${file}`,
    remove: () => `find ${file} -delete`,
    tar: () => `tar -cf ${file} a.txt`,
    git: (m) => `git ${m.pick(['mv -- a.txt', 'rm -f --', 'rm -f', 'mv a.txt'])} ${file}`,
    embedded: (m) =>
      `${m.pick(['cd planted &&', 'cd src/deep.git &&', '(cd planted;', 'cd planted/hooks;'])} git ${m.pick(['rm -f --cached a.txt', 'rm -f a.txt', 'mv a.txt c.txt', 'ls-remote'])}`.replace(
        /^\(.*/s,
        '$&)',
      ),
    reached: (m) =>
      `${m.chance(40) ? m.pick(['git rm -q b.txt; ', 'git mv a.txt c.txt && ', 'git stash; ', 'mv docs planted; ', 'cp -r pkg/. planted; ']) : ''}git ${m.among(`push ${reached(m)} HEAD:refs/heads/new ¦ push --all ${reached(m)} ¦ ls-remote ${reached(m)} ¦ push -f -- ${reached(m)} main`)}`,
    pattern: () =>
      `${make.pick(['git rm -f', 'git rm -rf', 'git clean -fdx', 'git rm -rf --'])} ${make.among(`: ¦ :/ ¦ ':!docs' ¦ ':^a.txt' ¦ ':(exclude)docs' ¦ ':(top)' ¦ ':(icase)CI' ¦ ':(attr:!x)' ¦ ':/ci' ¦ docs ':!a.txt' ¦ 'ci/.hus*' ¦ 'ci/?husky/*' ¦ 'app/deep/[.]vscode/*' ¦ ':(glob)kept/in*' ¦ 'kept/*/file.txt' ¦ '*pre-commit'`)}`,
    unpack: () => `cp a.txt.gz .npmrc.gz && for f in .npmrc.gz x.gz; do gunzip -f "$f"; done`,
    backup: (m) =>
      `touch .npm && for f in .npm x; do sed -i${m.pick(['rc', '.bak', "'rc'"])} s/o/0/ "$f"; done`,
    script: (m) =>
      `sed ${m.pick(['', '-n', '-e', '-n -e', '-i -e'])} ${m.among(`
      "$(echo w .npmrc)" ¦ "$(echo 1e touch pwn)" ¦ $(echo p) ¦ "$(echo 1w kept/inner/x)" ¦ "$s"`)} a.txt`,
    awk: () => `awk -v x=$(echo 1 'BEGIN{print>".npmrc"}') 1 a.txt`,
  });
}

/** A repository of plain files, by an address. */
function reached(make: Maker): string {
  return make.among(
    './planted ¦ planted ¦ src/deep ¦ src/deep.git ¦ near ¦ "$PWD/planted" ¦ file://$PWD/planted ¦ plan* ¦ src/../planted ¦ "$(echo planted)"',
  );
}

/** A file that is protected, refused or plain, by a word that says so only when it is expanded. */
function computedWord(make: Maker): string {
  const name = make.among(
    '.npmrc ¦ .husky/x ¦ .vscode/x ¦ kept/inner/new ¦ kept/inner/file.txt ¦ pkg/.git/config ¦ new ¦ b.txt ¦ .envrc',
  );
  return make.choose('computed', {
    command: () => `$(echo ${name})`,
    quoted: () => `"$(echo ${name})"`,
    printf: () => `"$(printf %s ${name})"`,
    backtick: () => `\`echo ${name}\``,
    here: () => `"$(cat <<'E'\n${name}\nE\n)"`,
    range: () => `${name.slice(0, -1)}{${name.at(-1)}..${name.at(-1)}}`,
    default: () => `"\${none:-${name}}"`,
    cut: () => `"$(echo x${name} | cut -c2-)"`,
    known: () => name,
    prefix: () => `"./$(echo ${name})"`,
    words: () => `$(echo 1 of=${name})`,
  });
}

/** The word comes from an array, or from the words of another shell. */
export function handedCommand(make: Maker): string {
  const name = make.pick(['.npmrc', '.husky/x', 'kept/inner/new', 'new', 'b.txt']);
  return make.choose('handed', {
    array: () => `a=(${name}); tee "\${a[@]}" < a.txt`,
    element: () => `a=(x ${name}); tee \${a[1]} < a.txt`,
    bash: () => `bash -c 'sort a.txt -o "$1"' _ ${name}`,
    sh: () => `sh -c 'tee $0 < a.txt' ${name}`,
    all: () => `bash -c 'touch "$@"' _ ${name}`,
    read: () => `echo ${name} | while read -r f; do tee "$f" < a.txt; done`,
    set: () => `set -- ${name}; tee "$1" < a.txt`,
    loop: () => `for f in b.txt ${name}; do cp a.txt "$f"; done`,
    variable: () => `f=${name}; cp a.txt "$f"`,
    branch: () => `f=new; false || f=${name}; cp a.txt -- "$f"`,
  });
}
