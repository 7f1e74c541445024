import type { FoundCheckpoint } from '../store/checkpoints.ts';
import type { LineCount } from './rewind-lines.ts';

export interface RewindWish {
  /** The uuid of a prompt, or of a rewind that is to be undone. */
  to: string;
  what: 'conversation' | 'files' | 'both';
  /** Also overwrites files that the user or another program changed since; a copy of each is kept. */
  force?: boolean;
}

/** For whoever waits for it. */
export function describeProgress(done: number, of: number): string {
  const [now, all] = [done, of].map((count) => count.toLocaleString('en-US'));
  return `restoring ${now} of ${all}`;
}

export interface RewindReport extends LineCount {
  to: Pick<FoundCheckpoint, 'uuid' | 'kind' | 'at' | 'text' | 'prompt'>;
  what: RewindWish['what'];
  /** Files that hold again what they held then. */
  restored: string[];
  /** Files that did not exist then. */
  removed: string[];
  /** How many changed files hold what they held then already. */
  unchanged: number;
  /** Files that stay as they are, and why. With `needsForce` it takes `force`. */
  refused: { path: string; reason: string; needsForce?: true; isLink?: true }[];
  /** Where the content of overwritten files is kept that the user or another program had changed. */
  copies: { path: string; copy: string }[];
  /** The ids of background work that is ended by it. */
  ends: string[];
  /** What going back does not undo, in sentences. */
  beyond: string[];
  /** Files that existed then may be missing, or other than they were, without being named as refused. */
  isIncomplete: boolean;
}
