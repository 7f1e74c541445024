import { seededRandom } from '../random.ts';
import { changing } from './changes.ts';
import { benign, command, gitCommand, redirected, toolCommand, word, wrapped } from './commands.ts';
import { bashism, dialect } from './dialect.ts';
import { everydayCommand } from './everyday.ts';
import { gluedLine } from './glued.ts';
import { computedCommand, handedCommand, settingCommand } from './granted.ts';
import { Maker } from './maker.ts';
import { callOf, setters, useOf } from './state.ts';
import { variableName } from './words.ts';

/** A line, with what it is made of. */
export interface Made {
  readonly line: string;
  readonly features: readonly string[];
}

/** The line of this number: the same for the same seed. */
export function makeLine(seed: number, number: number): Made {
  const make = new Maker(
    seededRandom((Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) >>> 0),
  );
  const line = number % gluedEach === gluedEach - 1 ? gluedLine(make) : lineOf(make);
  return { line, features: [...make.features] };
}

/** By their numbers, so that all other lines of a seed stay what they were. */
const gluedEach = 40;

function lineOf(make: Maker): string {
  const kind = make.random.below(100);
  if (make.chance(12)) return changing(make);
  if (make.chance(6))
    return make.pick([settingCommand, computedCommand, computedCommand, handedCommand])(make);
  if (make.chance(3)) return everydayCommand(make);
  if (kind < 14) return make.chance(70) ? toolCommand(make) : gitCommand(make);
  if (kind < 34) return statement(make);
  if (kind < 46) return make.chance(50) ? dialect(make) : wrapped(make, command(make));
  if (kind < 80) return twisted(make);
  return join(
    make,
    make.several(2, 3, () => statement(make)),
  );
}

/** Something that changes the state, and something that hangs on it, in either order. */
function twisted(make: Maker): string {
  const first = make.choose('set', setters);
  const parts = [first, make.defined === undefined || make.chance(20) ? useOf(make) : callOf(make)];
  if (make.chance(30))
    parts.splice(make.random.below(3), 0, make.chance(50) ? make.choose('set', setters) : benign(make));
  if (make.chance(12)) parts.reverse();
  return join(make, parts);
}

function join(make: Maker, parts: readonly string[]): string {
  return parts.reduce((line, part) => {
    const operator = make.pick(['; ', '; ', ' && ', ' && ', ' || ', ' | ', ' & ', '\n', '\n']);
    make.mark(`operator:${operator.trim() || 'line'}`);
    // What follows a here-document stands on a line of its own.
    return line.includes('<<') && !line.includes('<<<') ? `${line}\n${part}` : `${line}${operator}${part}`;
  });
}

function statement(make: Maker): string {
  return make.nest(
    () => (make.chance(62) ? command(make) : compound(make)),
    () => benign(make),
  );
}

function compound(make: Maker): string {
  return make.choose('compound', {
    if: (m) => `if ${statement(m)}; then ${statement(m)}; ${m.chance(30) ? `else ${statement(m)}; ` : ''}fi`,
    for: (m) => `for ${variableName(m)} in ${m.several(0, 3, () => word(m)).join(' ')}; do ${useOf(m)}; done`,
    while: (m) =>
      `while ${m.pick(['false', 'read -r f', 'read f', '! true', 'read -r d x'])}; do ${useOf(m)}; done ${m.pick(['', '< names.txt', '< a.txt', '<<< "a.txt"', '< <(ls)'])}`,
    until: (m) => `until true; do ${statement(m)}; done`,
    case: (m) =>
      `case ${word(m)} in ${m.pick(['a*', '*', 'x', '"a"', '$x'])}) ${statement(m)};; *) ${statement(m)};; esac`,
    group: (m) => `{ ${statement(m)}; ${statement(m)}; }`,
    subshell: (m) => `( ${statement(m)}; ${statement(m)} )`,
    pipeline: (m) =>
      `${statement(m)} | ${m.among(`
      cat ¦ head -1 ¦ sort ¦ wc -l ¦ grep one ¦ tee pwn ¦ tee ¦ while read -r f; do cat "$f"; done ¦ sh ¦
      xargs cat ¦ xargs ¦ sed p ¦ awk '{print $1}' ¦ uniq ¦ less ¦ cut -c1 ¦ tr a b ¦ sort | uniq -c`)}`,
    background: (m) => `${statement(m)} & ${m.pick(['', 'wait', 'true'])}`,
    redirected: (m) => redirected(m, `{ ${statement(m)}; }`),
    condition: (m) => bashism(m),
    wrapped: (m) => wrapped(m, m.chance(60) ? benign(m) : command(m)),
    negated: (m) => `! ${statement(m)}`,
    set: (m) => m.choose('set', setters),
    call: (m) => callOf(m),
    comment: (m) => `${statement(m)} # ${m.pick(['x', '; touch pwn', '\n'])}`,
    time: (m) => `time ${statement(m)}`,
  });
}
