import { type AllowedCase, type Case, featuresOf, judgeCase } from './cases.ts';
import { type Corner, corners } from './corners.ts';
import { gitPosture, type JudgeLine, type Posture, postures } from './judged.ts';
import type { Layout } from './layout.ts';
import { ruleSets } from './rule-sets.ts';

/**
 * Those of them that are allowed in these layouts. With a share, each line is judged in one out of so many of its cases (a
 * layout, a set of rules and a posture), and at least once; each of these cases keeps its part of the lines.
 */
export function judgeCorners(layouts: readonly Layout[], judge: JudgeLine, share = 1): AllowedCase[] {
  const places = corners.flatMap((corner) => {
    const layout = layouts.find(({ name }) => name === corner.layout);
    return layout ? [{ corner, layout, lines: corner.lines }] : [];
  });
  let number = 0;
  // The same lines are meant for several layouts.
  return [...Map.groupBy(places, ({ lines }) => lines)].flatMap(([lines, alike]) => {
    const texts = lines.split('¦').map((line) => line.trim());
    const meant = alike.flatMap(({ corner, layout }) => listMeant(corner, layout));
    const step = Math.min(share, meant.length);
    return meant.flatMap((given, use) =>
      texts
        .filter((_, place) => (place + use) % step === 0)
        .map((line): Case => ({ ...given, line, number: --number, features: featuresOf(given) }))
        .flatMap((one) => judgeCase(one, judge)),
    );
  });
}

/** For whom its lines are, under which rules. */
function listMeant(corner: Corner, layout: Layout): Omit<Case, 'line' | 'number' | 'features'>[] {
  const isMeant = (one: Posture) =>
    corner.postures ? corner.postures.includes(one.name) : one !== gitPosture;
  return ruleSets
    .filter(({ name }) => corner.rules.includes(name))
    .flatMap((rules) =>
      [...postures, gitPosture]
        .filter(isMeant)
        .map((posture) => ({ layout, posture, rules, shell: 'bash' as const, cwd: layout.workspace })),
    );
}
