import { type Maker, quote } from './maker.ts';

/** A file that a line may read without asking, by a plain name. */
export function plainFile(make: Maker): string {
  return make.pick([
    'a.txt',
    'b.txt',
    'x',
    'src/main.ts',
    'docs/readme.md',
    'data.json',
    'a/x',
    'a/b/x',
    'src/util.ts',
    './a.txt',
  ]);
}

export function plainDirectory(make: Maker): string {
  return make.pick(['src', 'a', 'a/b', 'docs', '.', 'src/deep', 'empty', 'outside', 'linkin', 'odd']);
}

/** A name that leads out of the workspace, to what a rule refuses, or that a program may misread. */
export function oddFile(make: Maker): string {
  const name = make.among(oddNames);
  make.mark(`name:${name}`);
  return name;
}

const oddNames = `
  ../outside/secret.txt ¦ ../../outside/secret.txt ¦ ../x ¦ ../../x ¦ ../a.txt ¦ linkout/secret.txt ¦
  linkfile ¦ .env ¦ linkenv ¦ secret/key.txt ¦ src/.env ¦ id_rsa ¦ src/up/x ¦ a/away/secret.txt ¦
  linkout ¦ src/up ¦ 'a b.txt' ¦ a\\ b.txt ¦ ./-n ¦ -n ¦ -- -n ¦ "-o" ¦ 'glob[1].txt' ¦ dir.txt ¦
  names.txt ¦ commands.txt ¦ ~/notes.txt ¦ "$HOME/notes.txt" ¦ ~+/a.txt ¦ ~-/a.txt ¦ /etc/hostname ¦
  $PWD/a.txt ¦ "\${PWD}"/../x ¦ /dev/stdin ¦ *.txt ¦ * ¦ src/* ¦ ?.txt ¦ [ab].txt ¦ [!a].txt ¦ {a,b}.txt ¦
  src/{main,util}.ts ¦ {a..b}.txt ¦ */x ¦ ./* ¦ .* ¦ .e* ¦ {.,}env ¦ .{env,x} ¦ @(a|b).txt ¦
  -[R] ¦ -[!n] ¦ -? ¦ -* ¦ ?R ¦ -[f]../x ¦ -[-]files0-from=../x ¦ odd/* ¦ odd/?? ¦ odd/? ¦ odd/[!a][!a] ¦ odd/[!a]? ¦ odd/o? ¦ odd/*/secret.txt ¦ odd/d?/* ¦ odd/é ¦ odd/p*.txt ¦
  odd/??.txt ¦ odd/\\[a\\]* ¦ odd/["!"l]x ¦ odd/[!l]x ¦ odd/[x] ¦ odd/k ¦ odd/plain.txt ¦
  $'odd/o\\xff' ¦ odd/$'o\\377' ¦ $'odd/\\xc3\\xa9' ¦ $'odd/\\u00e9' ¦ $'\\x{2e}env' ¦ $'odd/d\\xff/secret.txt' ¦
  ../{x,a.txt} ¦ {..,.}/x ¦ src/../x ¦ a/../../x ¦ linkin/../x ¦ linkout/../x ¦ **/x`;

export function anyFile(make: Maker): string {
  return make.chance(65) ? plainFile(make) : oddFile(make);
}

/** Something that can be seen from outside when it happens, and that no judge lets through when it sees it. */
export function payload(make: Maker): string {
  return make.among(`
      touch pwn ¦ ./evil.sh ¦ rm -f a.txt ¦ rm -rf src ¦ echo x > pwn ¦ cp a.txt pwn ¦ mkdir pwn ¦
      tee pwn ¦ cat ../outside/secret.txt ¦ cat .env ¦ cat secret/key.txt ¦ ls .. ¦ . ./lib.sh ¦
      chmod 777 a.txt ¦ mv a.txt pwn`);
}

export function variableName(make: Maker): string {
  return make.pick(['d', 'f', 'x', 'i', 'n', 'f', 'd', 'x']);
}

/** What a variable may hold. */
export function value(make: Maker): string {
  return make.choose('value', {
    file: plainFile,
    directory: plainDirectory,
    odd: (m) => oddFile(m),
    number: () => '1',
    zero: () => '0',
    empty: () => "''",
    dot: () => make.pick(['.', '..', '/', '../..', './a']),
    option: () => make.pick(['-o', '-n', '--output=pwn', '-rf', '-exec', '-i']),
    words: () => quote(make.pick(['a.txt b.txt', '-o pwn', 'a.txt ../x', './evil.sh', 'touch pwn'])),
    index: (m) => quote(`a[${m.pick(['$(touch pwn)', '`./evil.sh`', '$(cat ../x >&2)', '$(< .env)'])}]`),
    prompt: () => quote('$(touch pwn)'),
    command: () => make.pick(['cat', 'touch', './evil.sh', 'rm']),
  });
}

/** A word that the shell still has to expand. */
export function expansion(make: Maker): string {
  const name = variableName(make);
  return make.choose('expansion', {
    plain: () => `$${name}`,
    quoted: () => `"$${name}"`,
    braced: () => `"\${${name}}"`,
    'with-path': () =>
      `"$${name}/${make.pick(['x', 'a.txt', '../x', 'outside/secret.txt', 'etc/hostname'])}"`,
    'after-path': () => `"${make.pick(['a', 'src', '..', '.'])}/$${name}"`,
    default: (m) =>
      `"\${${name}${m.pick([':-', '-', ':=', '=', ':+', '+', ':?'])}${m.chance(50) ? plainFile(m) : oddFile(m)}}"`,
    cut: (m) =>
      `"\${${name}${m.pick(['#*/', '%/*', '##*/', '%%.*', '/a/b', '//t/.', ':0:1', ':1', '^', ',,', '@Q', '@P', '@E'])}}"`,
    length: () => `\${#${name}}`,
    indirect: () => `\${!${name}}`,
    names: () => `\${!${name}*}`,
    index: (m) => `"\${${name}[${m.pick(['0', '@', '*', 'i', 'x', '$i', '-1', 'a[$(touch pwn)]'])}]}"`,
    arithmetic: (m) => `$((${arithmetic(m)}))`,
    old: (m) => `$[${arithmetic(m)}]`,
    positional: (m) => m.pick(['$1', '"$@"', '$*', '$0', '$#', '$?', '$$', '$_', '$-', '$!']),
    environment: (m) =>
      m.pick([
        '$HOME',
        '$PWD',
        '$OLDPWD',
        '$PATH',
        '$USER',
        '"$TMPDIR"',
        '$RANDOM',
        '$BASH_COMMAND',
        '$FUNCNAME',
      ]),
    ansi: (m) => `$'${m.pick(['a.txt', '\\x61.txt', '.\\x65nv', '\\56env', '..\\x2fx', "a\\'b", '-\\x6f'])}'`,
    locale: () => '$"a.txt"',
    tilde: (m) => m.pick(['~', '~/a.txt', '~root', '~+', '~-', '~/.ssh/id_rsa']),
  });
}

export function arithmetic(make: Maker): string {
  const name = variableName(make);
  return make.choose('arithmetic', {
    number: () => '1 + 2',
    variable: () => name,
    dollar: () => `$${name} + 1`,
    assign: () => `${name} = 1`,
    increment: () => `${name}++`,
    index: () => `${name}[1]`,
    'index-command': () => `${name}[$(touch pwn)]`,
    ternary: () => `${name} ? 1 : ${name}`,
    compare: () => `${name} > 1`,
    comma: () => `${name} = 2, ${name} + 1`,
    base: () => `16#ff + ${name}`,
    quoted: () => `"${name}" + 1`,
    plus: () => `${name} += 1`,
  });
}
