const maxMs = 8;

/**
 * For a long row of short steps, such as calls to the file system: awaited after each of them, it lets everybody else have
 * their turn whenever enough time has gone by, and else costs next to nothing.
 */
export function breather(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < maxMs) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        since = performance.now();
        resolve();
      }),
    );
  };
}
