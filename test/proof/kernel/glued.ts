import type { Maker } from './maker.ts';
import { payload } from './words.ts';

/**
 * A substitution with other text glued to it, in every place of a line: behind a number or a name of a descriptor, behind or
 * in an array, before the rest of a word. A parser that takes such a word for plain text overlooks what it runs.
 */
export function gluedLine(make: Maker): string {
  const line = make.chance(45) ? arrayLine(make) : wordLine(make);
  return make.choose('glued-around', {
    plain: () => line,
    subshell: () => `( ${line} )`,
    group: () => `{ ${line}; }`,
    piped: () => `ls | ${line}`,
    nested: () => (line.includes("'") ? line : `bash -c '${line}'`),
    substituted: () => `echo "$(${line})"`,
    listed: () => `ls && ${line}`,
  });
}

function arrayLine(make: Maker): string {
  const name = make.pick(['x', 'x', 'x', 'x[0]', 'y=1 x', 'd']);
  const inside = make.pick(['', 'a', '"b c"', substitution(make), `[0]=${substitution(make)}`]);
  const behind = make.pick(['a', '$y', "'b'", '', substitution(make), `a${substitution(make)}`]);
  return `${name}${make.pick(['=', '=', '+='])}(${inside})${behind}`;
}

function wordLine(make: Maker): string {
  const before = make.pick(['3', '0', '00', '255', '1024', '{fd}', '{x[0]}', 'a', '"a"', '*', '~', '\\\n']);
  const process = `${make.pick(['<', '>'])}${make.chance(10) ? '\\\n' : ''}(${payload(make)})`;
  const word = `${before}${make.chance(70) ? process : substitution(make)}${make.pick(['', '', 'b', '*'])}`;
  return make
    .pick([
      ...['echo @', 'echo @', 'ls -d @', '[ -n @ ]', '[[ @ ]]', '[[ a == @ ]]', '[[ a =~ @ ]]', 'x=(@)'],
      ...['for i in @; do echo; done', 'case @ in a) ls;; esac', 'echo "@"', 'true # @', 'echo a#@', 'x=@'],
    ])
    .replace('@', () => word);
}

function substitution(make: Maker): string {
  const script = payload(make);
  return make.pick([
    `$(${script})`,
    `\`${script}\``,
    `"$(${script})"`,
    `<(${script})`,
    `\${y:-$(${script})}`,
  ]);
}
