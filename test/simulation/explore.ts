/** Picks one of `count` ways to go on; every combination of picks is tried. */
export type Choose = (count: number) => number;

export interface Explored {
  paths: number;
  /** The first path that failed, as its choices, and why. */
  fault?: { path: readonly number[]; reason: string };
}

/**
 * Runs a small case once for every combination of its choices, each time from its start. `play` returns why the path is wrong,
 * or undefined. Stops at the first fault.
 */
export async function exploreAll(
  play: (choose: Choose) => string | undefined | Promise<string | undefined>,
  maxPaths = 1_000_000,
): Promise<Explored> {
  const path: number[] = [];
  const widths: number[] = [];
  for (let paths = 1; ; paths++) {
    let depth = 0;
    const choose: Choose = (count) => {
      widths[depth] = count;
      path[depth] ??= 0;
      return path[depth++] ?? 0;
    };
    const reason = await play(choose);
    path.length = depth;
    widths.length = depth;
    if (reason !== undefined) return { paths, fault: { path: [...path], reason } };
    if (paths === maxPaths) throw new Error(`more than ${maxPaths} paths: the case is not small`);
    if (!goOn(path, widths)) return { paths };
  }
}

/** One path again, by its choices. */
export function playPath(
  path: readonly number[],
  play: (choose: Choose) => string | undefined | Promise<string | undefined>,
): string | undefined | Promise<string | undefined> {
  let depth = 0;
  return play(() => path[depth++] ?? 0);
}

/** The next combination, counted like the digits of a number; false after the last. */
function goOn(path: number[], widths: readonly number[]): boolean {
  for (let at = path.length - 1; at >= 0; at--) {
    const next = (path[at] ?? 0) + 1;
    if (next < (widths[at] ?? 0)) {
      path[at] = next;
      path.length = at + 1;
      return true;
    }
  }
  return false;
}
