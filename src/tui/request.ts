import type { Clock } from '../lib/clock.ts';
import type { Problem, Result } from '../lib/result.ts';
import type { AttachedSession } from '../session/attached/attached-session.ts';
import type { SessionOptions } from '../session/options.ts';
import type { TerminalStreams } from './terminal/terminal.ts';
import type { TrustQuestion } from './trust.ts';

/** Everything the terminal app is started with. */
export interface TuiRequest {
  session: SessionOptions;
  prompt?: string;
  /** The user chooses an earlier session first, to resume it or to continue in a copy. */
  pickSession?: 'resume' | 'fork' | undefined;
  /** Looks at a session of another process, instead of opening one. */
  attach?: () => Promise<Result<AttachedSession>>;
  /** A demo: what it shows is said first, and `/skip` leaves out its pauses. */
  show?: { about: string; skip(): void };
  /** Nothing of the session is kept, so it cannot be resumed. */
  isPassing: boolean;
  /** The user's own directory. */
  home: string;
  /** Overrides for the settings. */
  screenReader?: boolean;
  animation?: boolean;
  clock: Clock;
  environment: Readonly<Record<string, string | undefined>>;
  streams: TerminalStreams;
  /** The repository's settings that the user has not decided about yet. */
  trustQuestion(): Promise<TrustQuestion | undefined>;
  /** The output of one of our own commands in a directory. */
  report(words: readonly string[], cwd: string): Promise<string>;
  /** Runs one of our own commands on the terminal itself; returns its exit code. */
  runHere(words: readonly string[], cwd: string): Promise<number>;
  /** Reports a problem with the start; returns the exit code. */
  complain(problem: Problem): number;
}
