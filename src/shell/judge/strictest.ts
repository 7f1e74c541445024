import { strictness } from '../../places/reasons.ts';
import type { Decision } from '../../protocol/permission.ts';

/** Number of reasons named in one question. */
const maxReasons = 3;

/**
 * The strictest of the decisions about the parts of a line, the first of several alike. A question about what the sandbox
 * closes speaks for all such parts: it names them, and a yes to it opens what each of them needs.
 */
export function findStrictest(decisions: readonly Decision[]): Decision | undefined {
  const strictest = decisions.reduce<Decision | undefined>(
    (worst, decision) => (worst && rank(worst) >= rank(decision) ? worst : decision),
    undefined,
  );
  if (strictest?.behaviour !== 'ask' || !strictest.needs) return strictest;
  const closed = decisions.filter(({ behaviour, needs }) => behaviour === 'ask' && needs !== undefined);
  const reasons = [...new Set([strictest, ...closed].map(({ reason }) => reason))];
  const more = reasons.length - maxReasons;
  const files = new Set(closed.flatMap(({ needs }) => needs?.files ?? []));
  return {
    ...strictest,
    reason: [...reasons.slice(0, maxReasons), ...(more > 0 ? [`and ${more} more`] : [])].join('; '),
    needs: { ...strictest.needs, files: [...files] },
  };
}

/** Among allowed parts, the sandbox says most about how it runs, and a rule explains more than built-in knowledge. */
function rank(decision: Decision): number {
  const { behaviour, by, needs } = decision;
  if (behaviour === 'allow') return ranks.get(by) ?? 0;
  return strictness(decision) + (needs?.outside ? 0.2 : needs ? 0.1 : 0);
}

const ranks: ReadonlyMap<string, number> = new Map([
  ['sandbox', 0.7],
  ['rule', 0.5],
  ['mode', 0.3],
]);
