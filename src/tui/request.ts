import type { Clock } from '../lib/clock.ts';
import type { Problem } from '../lib/result.ts';
import type { SessionOptions } from '../session/options.ts';
import type { TerminalStreams } from './terminal.ts';
import type { TrustQuestion } from './trust.ts';

/** All that the terminal app is started with. */
export interface TuiRequest {
  session: SessionOptions;
  prompt?: string;
  /** Nothing of the session is left when it ends: nobody can go on with it. */
  isPassing: boolean;
  /** The user's own directory. */
  home: string;
  /** On top of the settings. */
  screenReader?: boolean;
  animation?: boolean;
  clock: Clock;
  environment: Readonly<Record<string, string | undefined>>;
  streams: TerminalStreams;
  /** What the repository wants and nobody has decided about. */
  trustQuestion(): Promise<TrustQuestion | undefined>;
  /** What one of our own commands prints in a directory. */
  report(words: readonly string[], cwd: string): Promise<string>;
  /** Says what is wrong with the start; the exit code. */
  complain(problem: Problem): number;
}
