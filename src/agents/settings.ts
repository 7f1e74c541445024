export type { AgentSettings } from '../settings/loaded.ts';

/** Turns that a fork may take unless a lower limit is set. */
export const forkTurns = 200;
