import { isAtWork } from './agents.ts';
import type { View } from './view.ts';

/** How many of the lead and its agents wait for a limit to reset, and the latest reset; null if none does. */
export function countSuspended({ lead, agents }: Pick<View, 'lead' | 'agents'>): {
  suspended: number;
  suspendedUntil: number | null;
} {
  const { wait } = lead.live;
  const own = wait?.kind === 'suspended' ? [wait.until] : [];
  const others = [...agents.values()].flatMap(({ state, suspended }) =>
    isAtWork(state) && suspended ? [suspended.until] : [],
  );
  const all = [...own, ...others];
  return { suspended: all.length, suspendedUntil: all.length === 0 ? null : Math.max(...all) };
}
