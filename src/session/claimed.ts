import type { LoadedSettings } from '../settings/load.ts';
import type { Trust } from '../settings/trust.ts';
import type { SessionSummary } from '../store/sessions.ts';
import type { Identity } from './identity.ts';
import type { SessionReel } from './open-reel.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';

/** A session that is ours by its lock, with all that was read before its history. */
export interface Claimed {
  identity: Identity;
  options: SessionOptions;
  around: Surroundings;
  settings: LoadedSettings;
  trust: Trust;
  earlier: SessionSummary | undefined;
  reel: SessionReel | undefined;
  releaseClaim(): void;
  /** What was found of worktrees that were left behind. */
  sweepNotices: string[];
}
