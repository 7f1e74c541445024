import { type AllowedCase, judgeSafely } from './cases.ts';
import { contradictions } from './compare.ts';
import { type Job, runJobs } from './driver.ts';
import type { JudgeLine } from './judged.ts';
import { type Contradiction, jobOf } from './run-cases.ts';

const maxRounds = 6;
const maxTried = 24;

/** A shorter line that is still allowed and still contradicted. */
export async function shrink(found: Contradiction, judge: JudgeLine): Promise<Contradiction> {
  let best = found;
  for (let round = 0; round < maxRounds; round++) {
    const shorter = await shortestOf(best, judge);
    if (!shorter) break;
    best = shorter;
  }
  return best;
}

async function shortestOf({ one }: Contradiction, judge: JudgeLine): Promise<Contradiction | undefined> {
  const cases = cutsOf(one.line).flatMap((line): AllowedCase[] => {
    const allowed = judgeSafely({ ...one, line }, judge);
    return allowed ? [{ ...one, line, allowed }] : [];
  });
  const tried: { each: AllowedCase; job: Job }[] = [];
  for (const each of cases.slice(0, maxTried)) {
    const job = await jobOf(each, each.allowed, true);
    if (!('problem' in job)) tried.push({ each, job });
  }
  if (tried.length === 0) return undefined;
  const ran = await runJobs(
    one.layout,
    tried.map(({ job }) => job),
  );
  for (const [index, { each }] of tried.entries()) {
    const result = ran[index];
    const saw = result ? contradictions(result, each.allowed, each.layout) : [];
    if (saw.length > 0) return { one: each, saw };
  }
  return undefined;
}

/** The line without some of its words, the shortest first. */
function cutsOf(line: string): string[] {
  const words = line.match(/\s+|[^\s]+/g) ?? [];
  const cuts = new Set<string>();
  for (let size = words.length - 1; size >= 1; size--)
    for (let at = 0; at + size <= words.length; at++)
      cuts.add([...words.slice(0, at), ...words.slice(at + size)].join('').trim());
  cuts.delete(line);
  cuts.delete('');
  return [...cuts].sort((a, b) => a.length - b.length);
}
