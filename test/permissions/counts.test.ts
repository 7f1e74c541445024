import { expect, test } from 'bun:test';
import { judge, shell } from './cases.ts';

const verdicts = (lines: readonly string[]) =>
  lines.map((line) => [line, judge({ accesses: [shell(line)] }).behaviour]);

test('what a program counted is a number in arithmetic', () => {
  const lines = [
    'x=$(wc -l < a.txt); echo $((x+1))',
    'x="$(wc -l < a.txt)"; echo "$((x * 2))"',
    'if [[ $(wc -l < a.txt) -gt 3 ]]; then echo many; fi',
    '[[ "$(cat a.txt | wc -l)" -eq 0 ]] || echo some',
    "n=$(grep 'a|b' a.txt | wc -l); echo $((n - 1))",
    'x=$(git ls-files | wc -l); [[ $x -gt 3 ]] && echo many',
    'x=$(git rev-list --count HEAD); echo $((x-1))',
  ];
  expect(verdicts(lines)).toEqual(lines.map((line) => [line, 'allow']));
});

test('what else may be in it is not', () => {
  const lines = [
    'x=$(wc -l a.txt); echo $((x+1))',
    'x=$(wc -lc < a.txt); echo $((x+1))',
    'x=$(cat a.txt || wc -l); echo $((x+1))',
    'x=$(cat a.txt; wc -l < a.txt); echo $((x+1))',
    'x=$(cat a.txt & wc -l < a.txt); echo $((x+1))',
    'x=$(cat a.txt\nwc -l < a.txt); echo $((x+1))',
    'x=$(wc -l < a.txt)$(cat a.txt); echo $((x+1))',
    'x=$(wc -l < a.txt); x=$(cat a.txt); echo $((x+1))',
    'x=$(wc -l < a.txt); read x < a.txt; echo $((x+1))',
    'x+=$(wc -l < a.txt); echo $((x+1))',
    'false && x=$(wc -l < a.txt); echo $((x+1))',
    'x=$(wc -l < a.txt); echo $((5 - $x))',
    '[[ $(cat a.txt) -gt 3 ]]',
    "[[ $(echo 'a[1] | wc -l') -gt 3 ]]",
    'wc() { cat a.txt; }; x=$(wc -l < a.txt); echo $((x+1))',
    'x=$(git rev-list --count "$r"); echo $((x+1))',
  ];
  expect(verdicts(lines)).toEqual(lines.map((line) => [line, 'ask']));
});
