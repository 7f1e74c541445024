/** The first argument with which the program becomes the process that runs a workflow script. */
export const scriptArgument = '--run-workflow-script';

/** How the engine calls the error that ends a loop. */
export const interruptedError = 'InternalError: interrupted';

/** No line in either direction is longer. */
export const maxFrameBytes = 16 * 1024 * 1024;

/** The first line on its stdin. */
export interface ScriptStart {
  /** The inside of an async function. */
  body: string;
  file: string;
  args: unknown;
  /** Names of global functions that are answered from outside. */
  functions: readonly string[];
  maxCalls: number;
  maxBusyMs: number;
  /** Tokens that the run may use; null without a limit. */
  budget: number | null;
}

/** Every further line: the answer to a call. */
export type ScriptReply = { id: number; spent: number } & (
  | { ok: true; value: unknown }
  | { ok: false; error: string }
);

/** Lines on its stdout. */
export type ScriptFrame =
  /** The engine is loaded, and the script begins. */
  | { type: 'ready' }
  | { type: 'call'; id: number; name: string; args: unknown[] }
  | { type: 'note'; name: 'phase' | 'log'; text: string }
  /** It has done all that it can do until an answer comes. */
  | { type: 'idle' }
  /** `refused`: how many calls it wanted above the limit. */
  | { type: 'done'; value: unknown; refused: number }
  | { type: 'threw'; reason: string; refused?: number };
