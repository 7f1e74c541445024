/** How many cells of a terminal some text takes, accurate enough to wrap it. */
export function countCells(text: string): number {
  let cells = 0;
  for (const character of text) cells += wide.test(character) ? 2 : 1;
  return cells;
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
