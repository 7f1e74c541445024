/** The raw result of one hook. */
export interface HookRun {
  /** `detached`: it continues in the background. `failed`: it could not be asked. */
  kind: 'ended' | 'timed_out' | 'cancelled' | 'failed' | 'detached';
  /** Only a command has one; others count as 0. */
  exitCode?: number;
  stdout: string;
  stderr: string;
  /** For users: why it was not asked, or what it did wrong. */
  problem?: string;
  /** It was not started, since what it runs may be the work of a command: nothing continues as if it had agreed. */
  isHeld?: true;
  /** An answer that came as a value. */
  value?: unknown;
}

/** A running hook: `heard` resolves with its answer, `ended` when nothing of it is left. */
export interface RunningHook {
  heard: Promise<HookRun>;
  ended: Promise<HookRun>;
}

/** Limit for a hook's text to the model or the user. */
export const maxCharacters = 10_000;

const silent = { stdout: '', stderr: '' };

/** It gave no answer. */
export function withoutAnswer(kind: 'timed_out' | 'cancelled' | 'detached'): HookRun {
  return { kind, ...silent };
}

export function failed(problem: string, stdout = ''): HookRun {
  return { kind: 'failed', ...silent, stdout, problem };
}
