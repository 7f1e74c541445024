const maxMs = 8;

/**
 * For a long series of short steps, such as file system calls: awaited after each of them, it yields to other work whenever
 * enough time has passed, and otherwise costs next to nothing.
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
