import { expect, test } from 'bun:test';
import { literalWord } from '../../src/shell/grammar/types.ts';
import { readSpec } from '../../src/shell/programs/read-spec.ts';
import { fileTools } from '../../src/shell/tables/file-tools.data.ts';
import { sweepOptions } from '../../src/shell/tables/sweeps.data.ts';
import { textTools } from '../../src/shell/tables/text-tools.data.ts';
import { judge, shell } from './cases.ts';

const tools = { ...fileTools, ...textTools };

/** Those that go below a directory, or list what is in one. */
const searching = Object.entries(tools).filter(
  ([, spec]) => spec.deep || spec.here || spec.opensDirectories || spec.lists,
);

test('every option of a searching program has one class, and no class names another', () => {
  expect(searching.map(([name]) => name).sort()).toEqual(Object.keys(sweepOptions).sort());
  for (const [name, { flags }] of searching) {
    const known = flags.split(' ').map((flag) => flag.replace(/[:#<>?]$/, ''));
    const classed = Object.values(sweepOptions[name] ?? {}).flatMap((text: string) => text.split(' '));
    expect([name, [...classed].sort()]).toEqual([name, [...known].sort()]);
  }
});

test('an option that is known and has no class is asked about', () => {
  const spec = fileTools.grep;
  if (!spec) throw new Error('no grep');
  const more = {
    ...spec,
    flags: `${spec.flags} --dereference-recursive`,
    deep: `${spec.deep} --dereference-recursive`,
  };
  const read = (option: string) => readSpec('grep', more, [option, 'x', '.'].map(literalWord)).known;
  expect([read('-r'), read('--dereference-recursive')]).toEqual([true, false]);
});

test('a rule for a program does not cover options of which nobody knows what they write', () => {
  const on = (command: string, rule: string) =>
    judge({ accesses: [shell(command)], allow: [rule] }).behaviour;
  expect(on('file -C -m magic', 'Bash(file:*)')).toBe('ask');
  expect(on('base64 -o .npmrc -i a.txt', 'Bash(base64:*)')).toBe('ask');
  for (const line of ['cat --unheard-of a.txt', 'jq -f x.jq a.json', 'grep --unheard-of x a.txt'])
    expect([line, on(line, `Bash(${line.split(' ')[0]}:*)`)]).toEqual([line, 'allow']);
});
