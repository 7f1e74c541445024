import { expect, test } from 'bun:test';
import { nearNames } from '../../src/lib/text/near-names.ts';

const names = ['cost', 'context', 'compact', 'config', 'clear', 'model', 'memory', 'mcp', 'quit'];

const meant: readonly (readonly [typed: string, ...near: string[]])[] = [
  ['cots', 'cost'],
  ['Modle', 'model'],
  ['con', 'context', 'config'],
  ['memori', 'memory'],
  ['qit', 'quit'],
  ['nosuch'],
  ['x'],
];

for (const [typed, ...near] of meant)
  test(`near ${typed} ${near.length === 0 ? 'there is nothing' : `are ${near.join(', ')}`}`, () => {
    expect(nearNames(typed, names)).toEqual(near);
  });
