import { isForeground } from '../lib/processes/job-control.ts';

const codes = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGABRT: 134 } as const;

/** However the program is told to end, the terminal is given back first. */
export function onSignals(leave: (code: number) => void): () => void {
  const listeners = Object.entries(codes).map(([signal, code]) => {
    const listener = () => leave(code);
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return () => {
    for (const stop of listeners) stop();
  };
}

/**
 * The last step of an end that was asked for while the terminal is the shell's. An ordinary exit would set the terminal's
 * modes once more: the system stops whoever does that in the background, so that it would never end.
 */
export function endInBackground(code: number): void {
  const [signal] = Object.entries(codes).find(([, known]) => known === code) ?? [];
  if (signal === undefined || isForeground()) return;
  // Libraries listen too, for a cursor to be shown again: that was seen to.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
