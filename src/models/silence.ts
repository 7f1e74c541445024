import { linkAbort } from '../lib/abort.ts';
import type { Clock } from '../lib/clock.ts';

/** Providers that send keep-alives do so every few seconds. */
export const silenceWithPingsMs = 5 * 60_000;
/** Some models think for minutes before their first word, and send nothing meanwhile. */
export const silenceWithoutPingsMs = 15 * 60_000;

export interface SilenceWatch {
  /** Fires with the caller's signal, and when nothing was received for too long. */
  readonly signal: AbortSignal;
  heard(): void;
  release(): void;
}

/** A server that stops in the middle of an answer without closing must not hang its caller forever. */
export function watchSilence(caller: AbortSignal, clock: Clock, limitMs: number): SilenceWatch {
  const controller = new AbortController();
  const unlink = linkAbort(caller, controller);
  let last = clock.monotonic();
  // One timer that checks again, rather than a new one for every piece.
  const look = () => {
    const left = last + limitMs - clock.monotonic();
    if (left <= 0) controller.abort(new SilentServer(limitMs));
    else cancel = clock.after(left, look);
  };
  let cancel = clock.after(limitMs, look);
  return {
    signal: controller.signal,
    heard() {
      last = clock.monotonic();
    },
    release() {
      cancel();
      unlink();
    },
  };
}

/** Identified by its code, like all network errors. */
class SilentServer extends Error {
  readonly code = 'ETIMEDOUT';

  constructor(limitMs: number) {
    super(`no data was received for ${Math.round(limitMs / 60_000)} minutes`);
  }
}
