import { renderValue } from './fields/describe-value.ts';

/**
 * An expected failure, as a value. `message` names the file, flag or peer and what was expected; `hint` is the next step.
 * Exceptions are for bugs.
 */
export interface Problem {
  /** `usage`: the user's input or configuration is wrong (exit 2). `failure`: the job could not be done (exit 1). */
  kind: 'usage' | 'failure';
  message: string;
  hint?: string;
  /** The machine lacked something, such as room on a disk: the same may work the next time. */
  passing?: true;
}

export type Result<T, E = Problem> = { ok: true; value: T } | { ok: false; problem: E };

export function ok<T>(value: T): Result<T, never> {
  return { ok: true, value };
}

export function fail<E>(problem: E): Result<never, E> {
  return { ok: false, problem };
}

export function usage(message: string, hint?: string): Result<never> {
  return fail({ kind: 'usage', message, ...(hint ? { hint } : {}) });
}

export function failure(message: string, hint?: string): Result<never> {
  return fail({ kind: 'failure', message, ...(hint ? { hint } : {}) });
}

/** A problem and its next step, on one line. */
export function sayProblem({ message, hint }: Problem): string {
  return hint ? `${message} ${hint}` : message;
}

/** The message of anything that was thrown, without a stack. */
export function formatError(error: unknown): string {
  return error instanceof Error ? error.message : renderValue(error);
}

/** The `code` of a system error (`ENOENT` …), or undefined. */
export function getErrorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}
