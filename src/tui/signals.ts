/** However the program is told to end, the terminal is given back first. */
export function onSignals(leave: (code: number) => void): () => void {
  const codes = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 } as const;
  const listeners = Object.entries(codes).map(([signal, code]) => {
    const listener = () => leave(code);
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return () => {
    for (const stop of listeners) stop();
  };
}
