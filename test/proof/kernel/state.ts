import { benign, command, inner, word, wrapped } from './commands.ts';
import { type Maker, quote } from './maker.ts';
import {
  anyFile,
  arithmetic,
  expansion,
  oddFile,
  payload,
  plainDirectory,
  value,
  variableName,
} from './words.ts';

/** Statements that change what later ones mean: each is followed by a use of it elsewhere in the line. */
export const setters: Readonly<Record<string, (make: Maker) => string>> = {
  assign: (make) => `${variableName(make)}=${value(make)}`,
  assign2: (make) => `${variableName(make)}=${value(make)}`,
  count: (make) =>
    `${variableName(make)}=$(${make.among(`
      wc -l < a.txt ¦ cat commands.txt | wc -l ¦ cat commands.txt || wc -l ¦ wc -l commands.txt ¦ cat commands.txt; wc -l < a.txt ¦
      git rev-list --count HEAD ¦ wc -l < nope ¦ nproc ¦ wc -lc < a.txt ¦ date +%s ¦ grep -c one a.txt`)})`,
  twice: (make) => {
    const name = variableName(make);
    return `${name}=${value(make)}; ${name}=${value(make)}`;
  },
  conditional: (make) =>
    `${make.pick(['false &&', 'true ||', 'true &&', 'false ||', '! true &&'])} ${assignment(make)}`,
  if: (make) =>
    `if ${make.pick(['true', 'false', 'test -f x', 'grep -q one a.txt'])}; then ${assignment(make)}; fi`,
  loop: (make) => `while false; do ${assignment(make)}; done`,
  subshell: (make) => `( ${assignment(make)} )`,
  piped: (make) => `${assignment(make)} | cat`,
  background: (make) => `${assignment(make)} &`,
  read: (make) =>
    `${make.pick(['read', 'builtin read', 'command read', 'read -r', 'IFS= read -r', '\\read', "'read'", 'read -a', 'read -p x'])} ${variableName(make)} <<< ${value(make)}`,
  'read-file': (make) => `read ${variableName(make)} < ${make.pick(['names.txt', 'commands.txt', 'a.txt'])}`,
  'read-pipe': (make) => `cat names.txt | while read -r ${variableName(make)}; do ${useOf(make)}; done`,
  printf: (make) => `printf -v ${variableName(make)} ${make.pick(['%s', '%b', '%d', '..'])} ${value(make)}`,
  mapfile: (make) =>
    `${make.pick(['mapfile', 'readarray'])} ${make.pick(['-t', '', '-C ./evil.sh -c 1', '-n 1', '-u 0'])} ${variableName(make)} <<< ${value(make)}`,
  getopts: (make) => `getopts x: ${variableName(make)} -x ${value(make)}`,
  arithmetic: (make) => `(( ${arithmetic(make)} ))`,
  let: (make) => `let ${make.pick(['x=1', '"x = 1"', "'a[$(touch pwn)]'", 'i++', 'x=f'])}`,
  default: (make) => `: "\${${variableName(make)}:=${make.pick(['..', 'a.txt', '.env', '../x', '1'])}}"`,
  declare: (make) =>
    `${make.among(`
      declare ¦ typeset ¦ local ¦ export ¦ readonly ¦ declare -i ¦ declare -n ¦ declare -a ¦ declare -x ¦
      declare -g ¦ declare -l ¦ export -n`)} ${assignment(make)}`,
  nameref: (make) => `declare -n ${variableName(make)}=${variableName(make)}`,
  append: (make) => `${variableName(make)}+=${value(make)}`,
  element: (make) =>
    `${variableName(make)}[${make.pick(['0', '1', 'i', '$i', '$(touch pwn)', 'x', '"a[$(touch pwn)]"'])}]=${value(make)}`,
  array: (make) => `${variableName(make)}=(${value(make)} ${value(make)})`,
  for: (make) => `for ${variableName(make)} in ${word(make)} ${value(make)}; do ${useOf(make)}; done`,
  'for-empty': (make) => `for ${variableName(make)} in; do :; done`,
  'for-arithmetic': (make) => `for ((${arithmetic(make)}; i < 2; i++)); do ${useOf(make)}; done`,
  eval: (make) => `eval ${make.chance(50) ? assignment(make) : quote(assignment(make))}`,
  unset: (make) =>
    `unset ${make.pick(['', '-v', '-f', '-n'])} ${make.pick(['d', 'f', 'x', 'HOME', 'PATH', 'cat', "'a[$(touch pwn)]'"])}`,
  set: (make) =>
    `set ${make.pick(['--', '-e', '-u', '-f', '+f', '-k', '-o noglob', '-o posix', '-a', '-x', '-o pipefail', '-P'])} ${make.pick(['', value(make), '../x a.txt'])}`,
  shopt: (make) =>
    `shopt ${make.pick(['-s', '-u', ''])} ${make.among(`
      dotglob ¦ extglob ¦ nullglob ¦ globstar ¦ expand_aliases ¦ lastpipe ¦ nocaseglob ¦ autocd ¦
      cdable_vars ¦ failglob ¦ assoc_expand_once ¦ cdspell ¦ sourcepath`)}`,
  alias: (make) =>
    `${make.pick(['', 'shopt -s expand_aliases\n'])}alias ${make.pick(['ls', 'cat', 'f', 'echo'])}=${quote(inner(make))}`,
  trap: (make) =>
    `trap ${quote(make.chance(60) ? payload(make) : inner(make))} ${make.pick(['EXIT', 'DEBUG', 'ERR', 'RETURN', '0', 'USR1'])}`,
  source: (make) =>
    `${make.pick(['.', 'source', 'builtin source', 'command .'])} ${make.pick(['./lib.sh', 'lib.sh', '<(echo touch pwn)', '/dev/stdin <<< "touch pwn"'])}`,
  exec: (make) =>
    make.among(`
      exec 3< a.txt ¦ exec > /dev/null ¦ exec < names.txt ¦ exec 3<> pwn ¦ exec {f}< a.txt ¦
      exec < <(cat commands.txt) ¦ exec 2>&1`),
  coproc: (make) => `coproc ${make.pick(['', 'x '])}{ ${inner(make)}; }`,
  function: defineFunction,
  function2: defineFunction,
  directory: changeDirectory,
  directory2: changeDirectory,
  special: (make) =>
    `${make.among(`
      PATH=. ¦ IFS=/ ¦ CDPATH=.. ¦ HOME=. ¦ PWD=/ ¦ OLDPWD=.. ¦ GIT_DIR=planted ¦ BASH_ENV=lib.sh ¦
      PS4=x ¦ PROMPT_COMMAND=x ¦ GLOBIGNORE=x ¦ LC_ALL=C ¦ TMPDIR=. ¦ RANDOM=1 ¦ SECONDS=x ¦ DIRSTACK=x ¦
      POSIXLY_CORRECT=1 ¦ OPTIND=1 ¦ SHELLOPTS=x ¦ BASHOPTS=x ¦ TERM=x ¦ LANG=C ¦ LINENO=x ¦ COLUMNS=1`)}`,
  match: (make) => `[[ ${value(make)} =~ ${make.pick(['(.)', '(.*)', 'a.*', '$x', '^(a)$'])} ]]`,
  history: (make) =>
    make.among(`
      hash -p ./evil.sh cat ¦ enable -n echo ¦ enable -f ./x x ¦ hash -r ¦ umask 0 ¦ ulimit -c 0 ¦
      bind -x x ¦ complete -F f x ¦ fc -s ¦ history -w pwn ¦ history -r names.txt ¦ help cd ¦
      jobs -x touch pwn ¦ disown ¦ suspend -f ¦ times ¦ caller ¦ compgen -c l ¦
      compgen -W '$(touch pwn)' ¦ compgen -F f ¦ compgen -C ./evil.sh ¦ logout ¦ dirs ¦ kill -0 1 ¦
      wait -n ¦ bg ¦ fg ¦ type cat ¦ command -v cat ¦ shift ¦ return ¦ local x`),
};

function assignment(make: Maker): string {
  return `${variableName(make)}=${value(make)}`;
}

function defineFunction(make: Maker): string {
  const name = functionName(make);
  const body = make.chance(40) ? ':' : make.chance(50) ? inner(make) : payload(make);
  return make.choose('function', {
    plain: () => `${name}() { ${body}; }`,
    keyword: () => `function ${name} { ${body}; }`,
    both: () => `function ${name}() { ${body}; }`,
    subshell: () => `${name}() ( ${body} )`,
    blank: () => `${name} () { ${body}; }`,
    lines: () => `${name}()\n{\n${body}\n}`,
    if: () => `${name}() if true; then ${body}; fi`,
    redirect: () => `${name}() { ${body}; } ${make.pick(['> pwn', '< a.txt', '2>&1', '> /dev/null'])}`,
    conditional: () => `${make.pick(['false &&', 'true ||', 'true &&'])} ${name}() { ${body}; }`,
    subshelled: () => `( ${name}() { ${body}; } )`,
    exported: () => `${name}() { ${body}; }; export -f ${name}`,
    arguments: () =>
      `${name}() { ${make.pick(['cat "$1"', '"$@"', 'cd "$1"', 'eval "$1"', '$1', 'local x="$1"; cat "$x"', 'command "$@"'])}; }`,
  });
}

function functionName(make: Maker): string {
  const name = make.pick([
    'f',
    'helper',
    'touch',
    'rm',
    'cat',
    'ls',
    'echo',
    'cd',
    'git',
    'command',
    'x',
    'test',
    'cp',
    'mkdir',
    'evil',
    'tee',
    'mv',
  ]);
  make.mark(`function-name:${name}`);
  make.defined = name;
  return name;
}

/** Runs what a function may be called, or what it hides. */
export function callOf(make: Maker): string {
  const text =
    make.defined !== undefined && make.chance(75)
      ? `${make.defined} ${callArguments[make.defined] ?? make.pick(['', 'pwn', 'a.txt', '../x', './evil.sh'])}`
      : make.chance(50)
        ? payload(make)
        : `${make.pick(['f', 'helper', 'touch', 'rm', 'cat', 'ls', 'cd', 'x', 'cp', 'mkdir', 'evil'])} ${make.pick(['', 'pwn', 'a.txt', '../x', 'src', '.env', './evil.sh', 'touch pwn'])}`;
  if (make.chance(45)) return text;
  if (make.chance(25))
    return make.pick([
      `\\${text}`,
      `/usr/bin/${text}`,
      `/bin/${text}`,
      `"${text.split(' ')[0]}" ${text.split(' ').slice(1).join(' ')}`,
    ]);
  return wrapped(make, text);
}

/** With which a program of this name would do what can be seen. */
const callArguments: Readonly<Record<string, string>> = {
  touch: 'pwn',
  rm: '-rf src',
  cp: 'a.txt pwn',
  mkdir: 'pwn',
  tee: 'pwn',
  mv: 'a.txt pwn',
  cat: '../x',
};

function changeDirectory(make: Maker): string {
  const to = make.chance(80)
    ? make.among(`
      a ¦ a/b ¦ src ¦ src/deep ¦ nope ¦ nope/x ¦ linkin ¦ linkout ¦ .. ¦ - ¦  ¦ ~ ¦ . ¦ outside ¦ "$d" ¦
      $d ¦ a/b/.. ¦ dir.txt ¦ empty ¦ a/away ¦ ./a ¦ 'a' ¦ x ¦ / ¦ "$PWD"/a ¦ -- a ¦ -P src/up ¦ a b`)
    : oddFile(make);
  return make.choose('directory', {
    cd: () => `cd ${to}`,
    and: (m) => `cd ${to} && ${useOf(m)}`,
    'and-true': (m) => `cd ${to} && true || ${useOf(m)}`,
    or: (m) =>
      `${m.pick(['true', 'false', 'grep -q zzz a.txt'])} ${m.pick(['||', '&&'])} cd ${to} && ${useOf(m)}`,
    builtin: () => `builtin cd ${to}`,
    command: () => `command cd ${to}`,
    time: () => `time cd ${to}`,
    not: () => `! cd ${to}`,
    pushd: (m) => `${m.pick(['pushd', 'builtin pushd'])} ${to}`,
    popd: () => 'popd',
    piped: () => `cd ${to} | cat`,
    into: () => `echo x | cd ${to}`,
    background: () => `cd ${to} &`,
    subshell: (m) => `(cd ${to}; ${useOf(m)})`,
    group: (m) => `{ cd ${to}; ${useOf(m)}; }`,
    option: (m) => `cd ${m.pick(['-P', '-L', '-e', '-@', '-LP', '--'])} ${to}`,
    cdpath: () => `CDPATH=${make.pick(['..', '../..', '~', '.:..', 'a'])} cd ${to}`,
    redirect: () => `cd ${to} ${make.pick(['> /dev/null', '2>/dev/null', '2>&1', '< x', '> pwn'])}`,
    eval: () => `eval cd ${to}`,
    if: (m) => `if cd ${to}; then ${useOf(m)}; else ${useOf(m)}; fi`,
    twice: () => `cd ${to} && cd ${make.pick(['..', '../..', '-', 'b'])}`,
    loop: (m) => `for i in 1 2; do cd ${to}; done; ${useOf(m)}`,
    while: (m) => `while cd ${to}; do ${useOf(m)}; break; done`,
    case: () => `case a in a) cd ${to};; esac`,
    substitution: () => `echo $(cd ${to})`,
    variable: () => `c=cd; $c ${to}`,
    quoted: () => `${make.pick(['"cd"', '\\cd', "'cd'", "c''d"])} ${to}`,
    assigned: () => `x=1 cd ${to}`,
    env: () => `env cd ${to}`,
    set: () => `cd ${to}; set -e`,
    many: () => `cd ${to} ${plainDirectory(make)}`,
  });
}

/** A command whose meaning hangs on the state. */
export function useOf(make: Maker): string {
  return make.choose('use', {
    relative: (m) =>
      `cat ${m.among(`
      x ¦ ../x ¦ ../../x ¦ a.txt ¦ ../a.txt ¦ ../../a.txt ¦ ../outside/secret.txt ¦
      ../../outside/secret.txt ¦ outside/secret.txt ¦ ../src/main.ts ¦ ../../src/main.ts ¦
      ../../../outside/secret.txt ¦ secret.txt ¦ ../.env`)}`,
    list: (m) => `ls ${m.pick(['', '..', '../..', '*', '../*'])}`,
    variable: (m) => `cat ${expansion(m)}`,
    echo: (m) => `echo ${expansion(m)}`,
    arithmetic: (m) => `echo $((${arithmetic(m)}))`,
    compare: (m) =>
      `[[ ${expansion(m)} ${m.pick(['-eq', '==', '-lt', '=~', '-nt'])} ${m.pick(['1', 'x', 'a*'])} ]]`,
    as: (m) => `${m.pick(['$x', '"$f"', '$d', '$n'])} ${m.pick(['a.txt', 'pwn', '../x'])}`,
    call: callOf,
    call2: callOf,
    git: (m) => m.pick(['git status', 'git diff', 'git log -p', 'git show HEAD', 'git ls-files']),
    head: (m) => `head -n ${expansion(m)} a.txt`,
    option: (m) => `sort ${expansion(m)} ${m.pick(['', 'a.txt', '-- a.txt'])}`,
    benign,
    command,
    write: (m) => `echo x > ${m.pick(['new', '"$f"', '$d/new', '../pwn', 'pwn', '.git/config', 'src/new'])}`,
    remove: (m) => `rm ${m.pick(['a.txt', 'x', '../x', '"$f"', '-rf src', '$d/x', 'main.ts'])}`,
    file: (m) => `cat ${anyFile(m)}`,
  });
}
