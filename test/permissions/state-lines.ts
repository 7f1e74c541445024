import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../proof/random.ts';

/** Scripts made of state: assignments, moves and uses, behind everything that may keep them from running. */
export function makeLine(random: Random): string {
  const count = 2 + random.below(4);
  const pieces = Array.from({ length: count }, () => makePart(random, 2));
  let line = pieces[0] ?? ':';
  for (const piece of pieces.slice(1)) line += `${pick(random, ['; ', '; ', '\n', ' && ', ' || '])}${piece}`;
  const wrapped = random.below(12);
  if (wrapped > 1 || line.includes("'")) return line;
  return `${wrapped === 0 ? 'bash' : 'sh'} -c '${line}'`;
}

function makePart(random: Random, depth: number): string {
  if (depth === 0 || random.below(3) > 0) return pick(random, [...sets, ...moves, ...uses, ...uses, ...uses]);
  const inner = Array.from({ length: 1 + random.below(2) }, () => makePart(random, depth - 1)).join('; ');
  return pick(random, frames).replace('@', () => inner);
}

const { sets, moves, uses, frames } = readPieces();

/** Under each heading the pieces of one kind. */
function readPieces() {
  const text = readFileSync(join(import.meta.dirname, 'corpus/state-pieces.txt'), 'utf8');
  const of = (kind: string) => text.split(`## ${kind}\n`)[1]?.split(/^## /m)[0]?.trimEnd().split('\n') ?? [];
  return { sets: of('sets'), moves: of('moves'), uses: of('uses'), frames: of('frames') };
}

function pick<T>(random: Random, items: readonly T[]): T {
  return items[random.below(items.length)] as T;
}
