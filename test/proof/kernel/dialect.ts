import { inner, word } from './commands.ts';
import { type Maker, quote } from './maker.ts';
import { payload, variableName } from './words.ts';

/** Text that bash and a plain sh read differently. */
export function bashism(make: Maker): string {
  return make.choose('bashism', {
    condition: (m) => `[[ ${condition(m)} ]]`,
    condition2: (m) => `[[ ${condition(m)} ]] ${m.pick(['&&', '||', ';'])} ${inner(m)}`,
    arithmetic: (m) =>
      `((${m.pick(['1>pwn', '1 > pwn', 'x=1', '1<a.txt', '1 || 2', 'x && y', '1>.git/config', 'a|b', '1;touch pwn', 'x>>pwn', '2>1'])}))`,
    ansi: (m) =>
      `echo $'${m.pick(["a\\'; touch pwn; echo \\'", "\\'", 'a\\nb', "x\\' > pwn \\'", "\\'`touch pwn`\\'", '\\x3b'])}'`,
    braces: (m) =>
      `${m.pick(['cat', 'ls', 'echo', 'head'])} ${m.pick(['{a,b}.txt', '{a.txt,../x}', '{1..3}', 'src/{main,util}.ts', '{.env,x}', '{a,b', 'x{}'])}`,
    both: (m) => `${inner(m)} &> ${m.pick(['pwn', '/dev/null', '.git/config'])}`,
    append: (m) => `${inner(m)} &>> ${m.pick(['pwn', '/dev/null'])}`,
    'pipe-errors': (m) => `${inner(m)} |& cat`,
    process: (m) => `cat <(${inner(m)})`,
    string: (m) => `cat <<< ${word(m)}`,
    function: (m) =>
      `function ${m.pick(['f', 'ls', 'touch'])} { ${inner(m)}; }; ${m.pick(['f', 'ls', 'touch pwn'])}`,
    array: (m) => `x=(${m.pick(['a', 'touch pwn', './evil.sh'])}); echo "\${x[0]}"`,
    replace: (m) =>
      `echo "\${${variableName(m)}${m.pick(['/a/b', '//a/$(touch pwn)', ':0:1', '^^', '@P', '/#a/b'])}}"`,
    select: () => 'select x in a; do touch pwn; break; done',
    locale: () => 'echo $"a"',
    time: (m) => `time ${inner(m)}`,
    coproc: (m) => `coproc ${inner(m)}`,
    source: () => 'source ./lib.sh',
    'tilde-plus': (m) => `cat ${m.pick(['~+/a.txt', '~-/x', '~/a.txt'])}`,
    extglob: (m) => `cat ${m.pick(['@(a|b).txt', '!(a).txt', '+(x)', '?(a)b.txt', '*(.)env'])}`,
    test: (m) => `[ ${m.pick(['a == a', 'a \\< b', '-v x', 'a < b', 'a > pwn', '-a x', '! x'])} ]`,
    echo: (m) => `echo ${m.pick(['-e', '-n', '-ne'])} ${m.pick(["'a\\nb'", "'\\0101'", "'a\\c'"])}`,
    declare: (m) => `${m.pick(['declare', 'local', 'typeset', 'let'])} x=1`,
    'for-arithmetic': () => 'for ((i=0; i<2; i++)); do echo $i; done',
    descriptor: (m) => `${inner(m)} {x}>pwn`,
    'heredoc-quote': (m) => `cat <<${m.pick(["$'E'", "E''", '"$x"', '$(E)'])}\n${payload(m)}\nE\n${inner(m)}`,
    comment: (m) => `echo a ${m.pick(['#', '\\#', '$#', 'x#'])} ; ${m.chance(50) ? inner(m) : payload(m)}`,
    history: () => 'echo !! !x ^a^b',
    continued: (m) => `echo a\\\n${m.pick([';', ' b', '|'])} ${inner(m)}`,
    'case-fall': (m) => `case a in a) ${inner(m)} ;& b) ${inner(m)} ;;& *) :;; esac`,
    'read-array': () => 'read -a x <<< "a b"',
    'param-at': () => `echo "\${@:1}" \${x@Q} \${!x}`,
    nested: (m) => `echo "\${x:-'${m.pick(['}', '$(touch pwn)', '`touch pwn`', '"'])}'}"`,
    'dollar-bracket': () => 'echo $[1>2] $[a[$(touch pwn)]]',
  });
}

function condition(make: Maker): string {
  const operand = () =>
    make.among(`
      x ¦ a ¦ $x ¦ "$f" ¦ ./evil.sh ¦ -f a.txt ¦ -d src ¦ a.txt ¦ ! x ¦ -n "$x" ¦ 'a[$(touch pwn)]' ¦
      -v x ¦ touch pwn ¦ $(touch pwn)`);
  const operator = make.pick([
    '||',
    '&&',
    '>',
    '<',
    '==',
    '=~',
    '-eq',
    '-nt',
    '>>',
    '=',
    '|',
    ';',
    '-a',
    '-o',
    '!=',
    '\\>',
  ]);
  const right = make.pick([operand(), operand(), 'pwn', '.git/config', 'a*', '(a|b)', '1', '../x', 'a.txt']);
  const text = `${operand()} ${operator} ${right}`;
  return make.chance(15) ? `( ${text} )` : text;
}

/** The same text for the shell that the machine calls `sh`. */
export function dialect(make: Maker): string {
  const text = make.chance(60) ? bashism(make) : inner(make);
  const shell = make.pick([
    'sh',
    'dash',
    '/bin/sh',
    'bash',
    'sh -e',
    'env sh',
    'timeout 1 sh',
    'command sh',
    'nice sh',
  ]);
  make.mark(`dialect:${shell}`);
  return `${shell} ${make.pick(['-c', '-c', '-ec', '-uc'])} ${make.chance(85) ? quote(text) : `"${text.replace(/["\\]/g, '\\$&')}"`}`;
}
