import { endSignals } from '../../lib/processes/end-signals.ts';

export interface StopSignals {
  /** Aborted by the first signal to stop. */
  signal: AbortSignal;
  /** The exit code, once there was a signal. */
  code(): number | undefined;
  /** From here on signals have their default effect. */
  release(): void;
}

/**
 * For commands that have to clean up: the first signal asks them to stop, a second one ends them at once.
 */
export function watchStops(): StopSignals {
  const codes = { ...endSignals, SIGINT: 130 } as const;
  const stop = new AbortController();
  let code: number | undefined;
  const listeners = Object.entries(codes).map(([name, exit]) => {
    const listener = () => {
      if (code !== undefined) process.exit(exit);
      code = exit;
      stop.abort();
    };
    process.on(name, listener);
    return () => process.off(name, listener);
  });
  return {
    signal: stop.signal,
    code: () => code,
    release: () => {
      for (const off of listeners) off();
    },
  };
}
