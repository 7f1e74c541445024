import type { Result } from '../../lib/result.ts';
import type { PermissionMode } from '../../protocol/index.ts';
import type { SessionOptions } from '../options.ts';
import type { Surroundings } from '../surroundings.ts';

/** What a worker gives to every job, and the most that a job may do on it. */
export interface JobPlace {
  readonly worker: string;
  readonly around: Surroundings;
  /** Below it every job has its own directory. */
  readonly directory: string;
  readonly highestMode: PermissionMode;
  /** The only built-in tools; all by default. */
  readonly tools?: readonly string[] | undefined;
  /** As the option of a session. */
  readonly sandbox?: boolean | undefined;
  /** False: what would be asked is denied. */
  readonly asks: boolean;
  /** Prepares a checkout as its repository says. */
  prepare(checkout: NewCheckout, signal: AbortSignal): Promise<Result<void>>;
  knownKeys(): Result<ReadonlySet<string>>;
  /** Given to the session instead of opening a model by its name: for tests. */
  readonly model?: SessionOptions['model'];
}

/** The files of a job, and the key that signed its order. */
export interface NewCheckout {
  readonly top: string;
  readonly submitter: string;
}
