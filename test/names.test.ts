import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { readSource } from '../scripts/house.ts';
import { blankSource } from '../scripts/source.ts';

const files = readSource(join(import.meta.dirname, '..', 'src')).map(({ path, text }) => ({
  path,
  code: blankSource(text),
}));

test('no two exported types have the same name', () => {
  const places = new Map<string, string[]>();
  for (const { path, code } of files)
    for (const [, name = ''] of code.matchAll(
      /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm,
    ))
      places.set(name, [...(places.get(name) ?? []), path]);
  expect([...places].filter(([, declared]) => declared.length > 1)).toEqual([]);
});

test('functions are a verb and its object: not nameOf, placesIn or modeFor', () => {
  const others = files.flatMap(({ path, code }) =>
    listFunctions(code)
      .filter((name) => isNounPhrase(name) && !allowed.includes(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(others).toEqual([]);
});

test('a function is seen however it is declared', () => {
  const code = [
    'export async function placeOf(x: string): void {}',
    'function* rootsFor() {}',
    'const nameOf = (x: string): string => x;',
    'const kindOf = async <T>(x: T) => x;',
    'const modeOf = x => x;',
    'const partOf: (x: string) => string = read;',
    '  endOf?(x: string): void;',
    'startOf<T>(x: T) {}',
    'const sizes = text.indexOf(x) + wordsOf(x);',
  ].join('\n');
  expect(listFunctions(code).filter(isNounPhrase).toSorted()).toEqual(
    ['endOf', 'kindOf', 'modeOf', 'nameOf', 'partOf', 'placeOf', 'rootsFor', 'startOf', 'wordsOf'].toSorted(),
  );
});

/** In the library's door, where programs call it; verbs that end so; and what is called by such a word. */
const allowed = ['textOf', 'logIn', 'hideIn', 'pauseFor', 'visitFor', 'visitArithmeticFor', 'releaseStandIn']
  // Members of tools and modes, which programs define.
  .concat(['standsFor', 'pathFor', 'handsIn', 'builtIn']);

/** Functions that are declared or called by their name alone, and methods that are declared. */
function listFunctions(code: string): string[] {
  const forms = [
    /(?<![.\w#])([a-z]\w*)\??(?:<\w+>)?\(/g,
    /\bconst (\w+) = (?:async )?(?:<[^=]*>)?(?:\(|\w+ =>)/g,
    /\bconst (\w+): \(/g,
  ];
  return [...new Set(forms.flatMap((form) => [...code.matchAll(form)].map(([, name = '']) => name)))];
}

function isNounPhrase(name: string): boolean {
  return /(?:Of|In|For)$/.test(name) && !/^(?:is|has|may)[A-Z]/.test(name);
}
