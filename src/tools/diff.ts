/** A run of changed lines with what is around it, in the form that unified patches have. */
export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each begins with a blank, `-` or `+`. */
  lines: string[];
}

type Step = ' ' | '-' | '+';

const around = 3;

export function diffLines(before: string, after: string): Hunk[] {
  const a = splitLines(before);
  const b = splitLines(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const steps: Step[] = [
    ...new Array<Step>(Math.min(start, around)).fill(' '),
    ...findSteps(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...new Array<Step>(Math.min(end, around)).fill(' '),
  ];
  const first = Math.max(0, start - around);
  return groupSteps(steps, a, b, first);
}

export function renderHunks(hunks: readonly Hunk[], maxLines: number): string {
  const lines = hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines.map((line) => (line.length > 300 ? `${line.slice(0, 300)}…` : line)),
  ]);
  if (lines.length <= maxLines) return lines.join('\n');
  return `${lines.slice(0, maxLines).join('\n')}\n[${lines.length - maxLines} more lines of the diff]`;
}

/** A missing newline at the end counts as a difference, shown as patches do. */
function splitLines(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop()}\n\\ No newline at end of file`);
  return lines;
}

/** More differences than this are shown as one block: a diff is for reading. */
const maxDifferences = 500;

/** The shortest way from `a` to `b` (Myers), or all of one and then all of the other. */
function findSteps(a: readonly string[], b: readonly string[]): Step[] {
  const size = maxDifferences + 1;
  const reach = new Int32Array(2 * size + 1);
  const history: Int32Array[] = [];
  for (let distance = 0; distance <= Math.min(a.length + b.length, maxDifferences); distance++) {
    history.push(reach.slice());
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      let x = isDown(reach, size, diagonal, distance)
        ? at(reach, size + diagonal + 1)
        : at(reach, size + diagonal - 1) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++;
      reach[size + diagonal] = x;
      if (x >= a.length && x - diagonal >= b.length) return traceBack(history, size, a.length, b.length);
    }
  }
  return [...a.map((): Step => '-'), ...b.map((): Step => '+')];
}

function isDown(reach: Int32Array, size: number, diagonal: number, distance: number): boolean {
  if (diagonal === -distance) return true;
  return diagonal !== distance && at(reach, size + diagonal - 1) < at(reach, size + diagonal + 1);
}

function traceBack(history: readonly Int32Array[], size: number, aLength: number, bLength: number): Step[] {
  const steps: Step[] = [];
  let x = aLength;
  let y = bLength;
  for (let distance = history.length - 1; distance >= 0; distance--) {
    const reach = history[distance] ?? new Int32Array(0);
    const down = isDown(reach, size, x - y, distance);
    const previous = x - y + (down ? 1 : -1);
    const fromX = distance === 0 ? 0 : at(reach, size + previous);
    const fromY = distance === 0 ? 0 : fromX - previous;
    while (x > fromX && y > fromY) {
      steps.push(' ');
      x--;
      y--;
    }
    if (distance > 0) steps.push(down ? '+' : '-');
    x = fromX;
    y = fromY;
  }
  return steps.reverse();
}

function at(values: Int32Array, index: number): number {
  return values[index] ?? 0;
}

function groupSteps(
  steps: readonly Step[],
  a: readonly string[],
  b: readonly string[],
  first: number,
): Hunk[] {
  const hunks: Hunk[] = [];
  let hunk: Hunk | undefined;
  let x = first;
  let y = first;
  steps.forEach((step, index) => {
    const isNear = steps.slice(Math.max(0, index - around), index + around + 1).some((one) => one !== ' ');
    if (!isNear) hunk = undefined;
    else {
      if (!hunk) {
        hunk = { oldStart: x + 1, oldLines: 0, newStart: y + 1, newLines: 0, lines: [] };
        hunks.push(hunk);
      }
      hunk.lines.push(step + ((step === '+' ? b[y] : a[x]) ?? ''));
      if (step !== '+') hunk.oldLines++;
      if (step !== '-') hunk.newLines++;
    }
    if (step !== '+') x++;
    if (step !== '-') y++;
  });
  return hunks;
}
