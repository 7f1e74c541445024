import { endSignals } from '../../lib/processes/end-signals.ts';
import { isForeground } from '../../lib/processes/job-control.ts';

const codes = { ...endSignals, SIGINT: 130 } as const;

const typed = new Set(['SIGINT', 'SIGQUIT']);

/** However the program is asked to end, it gives the terminal back first. */
export function onSignals(
  leave: (code: number) => void,
  /** True while another program has the terminal: the system sends us what was typed to interrupt that program. */
  isLent: () => boolean = () => false,
): () => void {
  const listeners = Object.entries(codes).map(([signal, code]) => {
    const listener = () => {
      if (!(typed.has(signal) && isLent())) leave(code);
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return () => {
    for (const stop of listeners) stop();
  };
}

/**
 * The last step of a requested exit while the terminal belongs to the shell. A normal exit would set the terminal's modes
 * once more, and the system stops a background process that does so: it would never end.
 */
export function endInBackground(code: number): void {
  const [signal] = Object.entries(codes).find(([, known]) => known === code) ?? [];
  if (signal === undefined || isForeground()) return;
  // Any listener that is left would keep the signal from ending it.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
