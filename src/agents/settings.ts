export type { AgentSettings } from '../settings/loaded.ts';

/** Turns that a fork may take unless something narrower is set. */
export const forkTurns = 200;
