import { expect, test } from 'bun:test';
import { applyMutation, findMutations } from '../scripts/mutations.ts';

const mutants = (source: string, isTable = false) =>
  findMutations(source, isTable).map((mutation) => [mutation.kind, applyMutation(source, mutation)]);

test('conditions are negated and early returns dropped', () => {
  expect(mutants('function f(a: number) {\n  if (a > (1)) return 2;\n  return 3;\n}\n')).toEqual([
    ['early return dropped', 'function f(a: number) {\n  void 0;\n  return 3;\n}\n'],
    ['condition negated', 'function f(a: number) {\n  if (!(a > (1))) return 2;\n  return 3;\n}\n'],
  ]);
});

test('what cannot be told, or is missing, is taken for fine', () => {
  expect(mutants('const a = b === untold;')).toEqual([
    ['what cannot be told is fine', 'const a = b === Symbol.for("none");'],
  ]);
  expect(mutants('const a = b === undefined;')).toEqual([
    ['what is missing is fine', 'const a = b === null;'],
  ]);
});

test('regular expressions lose their anchors', () => {
  expect(mutants('const a = /^x$/.test(b);').map(([, text]) => text)).toEqual([
    'const a = /(?:)x$/.test(b);',
    'const a = /^x/.test(b);',
  ]);
});

test('entries of a table are left out, or take a value of another kind', () => {
  expect(mutants("const flags = '-a -o>';", true).map(([, text]) => text)).toEqual([
    "const flags = ' -o>';",
    "const flags = '-a: -o>';",
    "const flags = '-a ';",
    "const flags = '-a -o:';",
  ]);
});

test('comments and texts stay as they are', () => {
  expect(mutants("// if (a) return b && c;\nconst a = 'if (x) && y === undefined';\n")).toEqual([]);
});
