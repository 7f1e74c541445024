import type { Clock } from '../../lib/clock.ts';
import type { MemberRecord } from '../../protocol/index.ts';

/** Until then a pane may take to start its program; the executor itself gives up a little later. */
const maxStartMs = 45_000;
const firstLookMs = 1_000;
const maxBetweenMs = 5_000;

export interface PaneStartParts {
  clock: Clock;
  members: {
    read(name: string): Pick<MemberRecord, 'incarnation' | 'wanted'> | undefined;
    isAlive(name: string): boolean;
  };
  /** Whether its pane, and what should run in it, exists. */
  isActive(name: string): Promise<boolean>;
  lost(name: string, reason: string): Promise<void>;
}

export interface PaneStarts {
  /** Waits until this member has taken its place in the team. `incarnation`: the one that was noted for it before. */
  await(name: string, incarnation: string): void;
  stop(): void;
}

/** Panes that were opened and whose teammates have not come yet. One that never comes is told, so that nobody waits for it. */
export function watchStarts({ clock, members, isActive, lost }: PaneStartParts): PaneStarts {
  const cancels = new Map<string, () => void>();
  let isStopped = false;
  const look = async (name: string, incarnation: string, since: number, delay: number) => {
    cancels.delete(name);
    const record = members.read(name);
    if (isStopped || !record || record.incarnation !== incarnation || members.isAlive(name)) return;
    if (record.wanted === 'ended') return;
    const isLate = clock.monotonic() - since > maxStartMs;
    const isThere = await isActive(name);
    if (isStopped || members.read(name)?.incarnation !== incarnation) return;
    if (!isThere) return lost(name, 'its pane is gone');
    if (isLate) return lost(name, 'its program did not start in its pane');
    wait(name, incarnation, since, Math.min(delay * 2, maxBetweenMs));
  };
  const wait = (name: string, incarnation: string, since: number, delay: number) => {
    const act = () => void look(name, incarnation, since, delay);
    cancels.set(name, clock.after(delay, act, 'in the background'));
  };
  return {
    await(name, incarnation) {
      cancels.get(name)?.();
      wait(name, incarnation, clock.monotonic(), firstLookMs);
    },
    stop() {
      isStopped = true;
      for (const cancel of cancels.values()) cancel();
      cancels.clear();
    },
  };
}
