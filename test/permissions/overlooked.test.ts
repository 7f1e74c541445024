import { expect, test } from 'bun:test';
import type { ParsedScript } from 'unbash';
import { exploreRole } from '../../src/permissions/roles.ts';
import { findUnaccounted } from '../../src/shell/grammar/account.ts';
import { parseText } from '../../src/shell/grammar/parse-text.ts';
import { judge, shell } from './cases.ts';

/** Words that a parser could take for plain text, though a shell runs the command in them. */
const words = [
  ...['3<(touch p)', '0<(touch p)', '00>(touch p)', '255<(touch p)', '1024>(touch p)', '3<\\\n(touch p)'],
  ...['{fd}<(touch p)', '{x[0]}<(touch p)', '{fd}>(touch p)', 'a3<(touch p)', '"a"3<(touch p)'],
];
const arrays = [
  ...['x=($(touch p))a', 'x=()`touch p`', 'x=(a)$(touch p)', 'x+=($(touch p))a', 'x=([0]=$(touch p))a'],
  ...[
    'x=("$(touch p)")a',
    'y=1 x=($(touch p))a',
    'x[0]=($(touch p))a',
    'x=($(touch p))$y',
    'x=(1>(touch p))',
  ],
  ...['x=(<(touch p))a', 'declare x=($(touch p))a', 'export x=()$(touch p)', 'x=(\n$(touch p)\n)a'],
];
const places = ['echo @', '[ -n @ ]', '[[ -n @ ]]', 'for i in @; do echo $i; done', 'case @ in a) ;; esac'];
const lines = [
  ...arrays,
  ...words.flatMap((word) => places.map((place) => place.replace('@', word))),
  ...['[[ 3<$(touch p) ]]', '[[ a == 3>$(touch p) ]]', '[[ a =~ 3<(touch p) ]]'],
];
const around = [
  '@',
  '( @ )',
  '{ @; }',
  'ls | @',
  "bash -c '@'",
  'echo `@`',
  'cat <(@)',
  'echo "$(@)"',
  'ls; @ && ls',
];
const all = lines.flatMap((line) =>
  around.filter((one) => !(one.includes('`') && line.includes('`'))).map((one) => one.replace('@', line)),
);

test(`G9 none of ${all.length} lines runs unasked in which a parser could overlook a command`, () => {
  const found = all.filter(
    (line) =>
      judge({ accesses: [shell(line)] }).behaviour === 'allow' ||
      judge({ accesses: [shell(line)], role: exploreRole }).behaviour === 'allow' ||
      judge({ accesses: [shell(line)], mode: 'dontAsk', allow: ['Bash(echo:*)'] }).behaviour === 'allow',
  );
  expect(found).toEqual([]);
});

test('G9 a deny rule holds against a command that a parser could overlook', () => {
  const found = lines.filter(
    (line) =>
      judge({ accesses: [shell(line)], deny: ['Bash(touch:*)'], allow: ['Bash'] }).behaviour === 'allow',
  );
  expect(found).toEqual([]);
});

test('a tree accounts for its text, unless a node of it is missing or shorter than it was', () => {
  for (const line of [
    'echo a b',
    `x=(a $(b) "c $(d)") && echo "\${x[@]}" <<E >f\na $(b)\nE`,
    'for i in a b; do echo "$i" `pwd`; done # the end',
    'if [[ $a == b* && ! -f c ]]; then (d | e) & else f 2>&1; fi',
  ]) {
    const script = parseText(line);
    expect([line, script.errors]).toEqual([line, undefined]);
    for (const damaged of damage(JSON.parse(JSON.stringify(script))))
      expect([line, findUnaccounted(line, damaged) === undefined]).toEqual([line, false]);
  }
});

/** The tree, each time without one command, word, part or substitution. */
function* damage(script: ParsedScript): Generator<ParsedScript> {
  for (const { list, index } of listEntries(script)) {
    const [one] = list.splice(index, 1);
    yield script;
    list.splice(index, 0, one);
  }
}

interface Entry {
  readonly list: unknown[];
  readonly index: number;
}

function listEntries(node: unknown): Entry[] {
  if (typeof node !== 'object' || node === null) return [];
  const lists = Object.values(node).filter((value) => Array.isArray(value) && typeof value[0] === 'object');
  const own = lists.flatMap((list: unknown[]) => list.map((_, index) => ({ list, index })));
  return [...own, ...Object.values(node).flatMap(listEntries)];
}
