import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../random.ts';
import { makeLine } from './grammar.ts';
import { type Allowed, type Given, type JudgeLine, postures } from './judged.ts';
import type { Layout } from './layout.ts';
import { heldSeconds } from './layout-files.ts';
import { ruleSets } from './rule-sets.ts';

/** A line of the fuzzer, all of it from the seed and its number. */
export interface Case extends Given {
  readonly number: number;
  readonly features: readonly string[];
}

/** A line that was allowed, and what for. */
export interface AllowedCase extends Case {
  readonly allowed: Allowed;
}

export function makeCase(seed: number, number: number, layouts: readonly Layout[]): Case {
  const random = seededRandom((Math.imul(seed, 0x27d4eb2f) ^ Math.imul(number + 1, 0x165667b1)) >>> 0);
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)] as T;
  /** Takes what is seldom in one of so many cases, where there is anything else. */
  const pickSeldom = <T>(list: readonly T[], isSeldom: (one: T) => boolean): T => {
    const usual = list.filter((one) => !isSeldom(one));
    return pick(random.below(25) === 0 || usual.length === 0 ? list : usual);
  };
  const layout = pickSeldom(layouts, ({ isCostly }) => isCostly === true);
  const posture = pickSeldom(postures, ({ isFree }) => isFree === true);
  const rules = pick(ruleSets);
  const below = random.below(100) < 88 ? '' : pick(['src', 'a/b', 'docs']);
  // In a sparse checkout some directories are missing: no shell could start there.
  const cwd = existsSync(join(layout.workspace, below)) ? join(layout.workspace, below) : layout.workspace;
  const shell = random.below(100) < 88 ? 'bash' : 'dash';
  const { line, features } = makeLine(seed, number);
  return {
    number,
    line,
    layout,
    posture,
    cwd,
    shell,
    rules,
    features: [...features, ...featuresOf({ layout, posture, shell, rules })],
  };
}

export function featuresOf({ layout, posture, shell, rules }: Omit<Given, 'line' | 'cwd'>): string[] {
  return [`layout:${layout.name}`, `shell:${shell}`, `posture:${posture.name}`, `rules:${rules.name}`];
}

/** Judges these numbers and keeps what is allowed. */
export function judgeCases(
  seed: number,
  from: number,
  to: number,
  layouts: readonly Layout[],
  judge: JudgeLine,
): AllowedCase[] {
  const kept: AllowedCase[] = [];
  for (let number = from; number < to; number++)
    kept.push(...judgeCase(makeCase(seed, number, layouts), judge));
  return kept;
}

/** None where the line is not allowed, or where it must not run. */
export function judgeCase(one: Case, judge: JudgeLine): AllowedCase[] {
  const allowed = judgeSafely(one, judge);
  if (!allowed || (one.layout.isOnlyJudged && allowed.decision.behaviour === 'allow')) return [];
  return [{ ...one, allowed }];
}

/** A judge that throws, or that waits, is kept like one that allows: running the line then says so. */
export function judgeSafely(one: Given, judge: JudgeLine): Allowed | undefined {
  const fault = (reason: string): Allowed => ({
    decision: { behaviour: 'deny', by: 'default', reason },
    ...{ programs: new Set(), writes: [], rules: one.rules },
  });
  const start = performance.now();
  try {
    const allowed = judge(one);
    const seconds = (performance.now() - start) / 1000;
    return one.layout.isOnlyJudged && seconds >= heldSeconds ? fault('the judge waits for a pipe') : allowed;
  } catch (error) {
    return fault(`the judge throws: ${error instanceof Error ? error.message : error}`);
  }
}

/** Prefers lines with features that were seldom run. */
export class Coverage {
  readonly #runs = new Map<string, number>();
  readonly #lines = new Set<string>();

  /** How many lines with this feature were taken. */
  runsOf(feature: string): number {
    return this.#runs.get(feature) ?? 0;
  }

  get features(): number {
    return this.#runs.size;
  }

  /** The rarest of these, in the order of their numbers. */
  take(cases: readonly AllowedCase[], count: number): AllowedCase[] {
    const fresh = cases.filter((one) => !this.#lines.has(keyOf(one)));
    const ranked = fresh
      .map((one) => ({ one, rarity: this.#rarityOf(one) }))
      .sort((a, b) => b.rarity - a.rarity)
      .slice(0, count)
      .map(({ one }) => one);
    for (const one of ranked) {
      this.#lines.add(keyOf(one));
      for (const feature of one.features) this.#runs.set(feature, (this.#runs.get(feature) ?? 0) + 1);
    }
    return ranked.sort((a, b) => a.number - b.number);
  }

  #rarityOf({ features }: Case): number {
    return features.reduce((sum, feature) => sum + 1 / (1 + (this.#runs.get(feature) ?? 0)) ** 2, 0);
  }
}

/** The same line for somebody else, or in another shell, is another case. */
function keyOf({ line, layout, cwd, posture, shell, rules }: Case): string {
  return [layout.name, posture.name, rules.name, shell, cwd, line].join('\0');
}
