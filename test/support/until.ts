/**
 * Waits for something that has no event of its own, such as a file that another process makes. For as long as it takes:
 * the limit is the test's.
 */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
