/** An agent that may become idle, and whatever can come for it. */
export interface IdleSeat<Item> {
  /** Takes what has come: mail from its box, letters from its inbox. */
  look(): readonly Item[] | Promise<readonly Item[]>;
  /** From now on a wake is heard: before, whoever wakes it finds it working and does nothing. */
  markIdle(): void | Promise<void>;
  markWorking(): void | Promise<void>;
}

export type IdleStep<Item> = { state: 'idle' } | { state: 'working'; items: readonly Item[] };

/**
 * The step to idle, of which the look is a part (TM13). What comes before the mark is found by the second look; what comes after it
 * wakes the agent. So nothing falls between.
 */
export async function becomeIdle<Item>(seat: IdleSeat<Item>): Promise<IdleStep<Item>> {
  const before = await seat.look();
  if (before.length > 0) return { state: 'working', items: before };
  await seat.markIdle();
  const meanwhile = await seat.look();
  if (meanwhile.length === 0) return { state: 'idle' };
  await seat.markWorking();
  return { state: 'working', items: meanwhile };
}
