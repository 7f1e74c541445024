/**
 * For a process that works for the one that started it: that one may be killed, and then this one ends too. A loop that lets no timer run
 * needs a limit from outside.
 */
export function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1);
  }, 200).unref();
}
