import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Proof, ProofResult } from '../../scripts/proofs.ts';
import { canTrace } from './kernel/driver.ts';
import { findOpened, type LookedFor, listLookedFor, plants } from './kernel/looked-for.ts';
import { seededRandom } from './random.ts';

const corpora = ['everyday', 'reading', 'read-only', 'proved'];

/** In `npm test`: each path takes a second. */
const reduced = { lines: 150, paths: 6 };
/** Of one path: other lines do the same. */
const maxLines = 12;

/**
 * Programs open files that no line names: ignore files of every directory above, attributes, settings. Which ones is asked of
 * the kernel, not of our tables; each is then put there as a link or as another name of a file that may not be read.
 */
const proof: Proof = {
  name: 'looked-for',
  promise: 'G9: no file that a program opens by itself leads a line to what it may not read',
  async run(full, seed): Promise<ProofResult> {
    if (!canTrace())
      return {
        passed: false,
        figures: {},
        detail: 'bwrap or strace is missing or refused: npm run setup:test',
      };
    const random = seededRandom(seed);
    const lines = full ? readLines() : pick(readLines(), reduced.lines, random);
    const all = await listLookedFor(lines);
    const chosen = full ? all : pick(all, reduced.paths, random);
    const opened: string[] = [];
    for (const one of chosen)
      for (const plant of plants) opened.push(...(await findOpened(shorten(one), plant)));
    return {
      passed: opened.length === 0 && all.length > 0,
      figures: { lines: lines.length, paths: chosen.length, opened: opened.length },
      detail: opened.join('\n'),
    };
  },
};

function readLines(): string[] {
  const texts = corpora.map((name) =>
    readFileSync(join(import.meta.dirname, '..', 'permissions', 'corpus', `${name}.txt`), 'utf8'),
  );
  return [...new Set(texts.join('\n').split('\n'))].filter((line) => line !== '' && !line.startsWith('#'));
}

/** A line of every program, then others of the same. */
function shorten({ path, lines }: LookedFor): LookedFor {
  const programs = [...Map.groupBy(lines, findProgram).values()];
  const rounds = Array.from({ length: maxLines }, (_, round) => programs.flatMap((own) => own[round] ?? []));
  return { path, lines: rounds.flat().slice(0, maxLines) };
}

function findProgram(line: string): string {
  const words = line.split(' ').filter((word) => !/^[A-Z_]+=/.test(word));
  return words.slice(0, words[0] === 'git' ? 2 : 1).join(' ');
}

function pick<T>(list: readonly T[], count: number, random: ReturnType<typeof seededRandom>): T[] {
  const waiting = [...list];
  return Array.from({ length: Math.min(count, list.length) }, () =>
    waiting.splice(random.below(waiting.length), 1),
  ).flat();
}

export default proof;
