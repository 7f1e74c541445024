/** What came back from one hook, before anybody asks what it means. */
export interface HookRun {
  /** `detached`: it goes on by itself. `failed`: it could not be asked. */
  kind: 'ended' | 'timed_out' | 'cancelled' | 'failed' | 'detached';
  /** Of a command. Nothing else has one, and counts as 0. */
  exitCode?: number;
  stdout: string;
  stderr: string;
  /** For people: why it was not asked, or what it did that it should not. */
  problem?: string;
  /** An answer that came as a value. */
  value?: unknown;
}

/** Under way: `heard` is what is waited for, `ended` resolves when nothing of it is left. */
export interface RunningHook {
  heard: Promise<HookRun>;
  ended: Promise<HookRun>;
}

/** Of what a hook says to the model or to a person. */
export const maxCharacters = 10_000;
