import type { CheckedCall } from './prepare-call.ts';

/** How often the same call may fail in a row before it is no longer run. */
const maxFailures = 2;
const maxShown = 200;

/**
 * Notices a call that fails again and again with the same input, and nothing else that succeeds in between: it would fail
 * for ever. Any other success may have changed its cause, so it may then be tried again.
 */
export class RepeatedCalls {
  readonly #failures = new Map<string, { count: number; last: string }>();

  /** Why this call is not run; undefined if it may be. */
  refuse(call: CheckedCall): string | undefined {
    const known = this.#failures.get(identify(call));
    if (!known || known.count < maxFailures) return undefined;
    return (
      `Not run: this exact call has failed ${known.count} times in a row, the last time with: ${known.last}\n` +
      'Do something else: look at the cause (read the file again, check the path or the command), change the input, try another approach, or tell the user what blocks you.'
    );
  }

  note(call: CheckedCall, failure: string | undefined): void {
    if (failure === undefined) {
      this.forget();
      return;
    }
    const key = identify(call);
    const count = (this.#failures.get(key)?.count ?? 0) + 1;
    this.#failures.set(key, { count, last: shorten(failure) });
  }

  forget(): void {
    this.#failures.clear();
  }
}

function identify(call: CheckedCall): string {
  return JSON.stringify([call.ok ? call.tool.name : call.name, call.input]);
}

function shorten(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
}
