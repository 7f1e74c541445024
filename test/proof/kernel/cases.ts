import { join } from 'node:path';
import { seededRandom } from '../random.ts';
import { makeLine } from './grammar.ts';
import { type Allowed, type Given, type JudgeLine, postures } from './judged.ts';
import type { Layout } from './layout.ts';

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
  const layout = pick(layouts);
  const posture = pick(postures);
  const cwd =
    random.below(100) < 88 ? layout.workspace : join(layout.workspace, pick(['src', 'a/b', 'docs']));
  const shell = random.below(100) < 88 ? 'bash' : 'dash';
  const { line, features } = makeLine(seed, number);
  return {
    number,
    line,
    layout,
    posture,
    cwd,
    shell,
    features: [...features, `layout:${layout.name}`, `shell:${shell}`],
  };
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
  for (let number = from; number < to; number++) {
    const one = makeCase(seed, number, layouts);
    const allowed = judgeSafely(one, judge);
    if (allowed) kept.push({ ...one, allowed });
  }
  return kept;
}

/** A judge that throws is kept like one that allows: running the line then says so. */
export function judgeSafely(one: Given, judge: JudgeLine): Allowed | undefined {
  try {
    return judge(one);
  } catch (error) {
    const reason = `the judge throws: ${error instanceof Error ? error.message : error}`;
    return { decision: { behaviour: 'deny', by: 'default', reason }, programs: new Set(), writes: [] };
  }
}

/** Prefers lines with features that were seldom run. */
export class Coverage {
  readonly #runs = new Map<string, number>();
  readonly #lines = new Set<string>();

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

function keyOf({ line, layout, cwd }: Case): string {
  return `${layout.name}\0${cwd}\0${line}`;
}
