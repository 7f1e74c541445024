/** Where the strokes of a line sign lead from the middle of its cell: left, right, up, down. `round` joins them with an arc. */
const strokes: Record<string, string> = {
  ...{ '─': 'lr', '│': 'ud', '┌': 'rd', '┐': 'ld', '└': 'ru', '┘': 'lu' },
  ...{ '├': 'rud', '┤': 'lud', '┬': 'lrd', '┴': 'lru', '┼': 'lrud' },
  ...{ '╭': 'round rd', '╮': 'round ld', '╰': 'round ru', '╯': 'round lu' },
  ...{ '━': 'lr', '┃': 'ud', '═': 'lr', '║': 'ud' },
};

/** The path of line signs in a row, or nothing if they are text. */
export function linePath(
  text: string,
  left: number,
  top: number,
  cell: { width: number; height: number },
): string | undefined {
  const signs = [...text];
  if (!signs.every((sign) => strokes[sign])) return undefined;
  const middle = top + cell.height / 2;
  if (signs.every((sign) => sign === '─'))
    return `M${round(left)} ${middle}h${round(signs.length * cell.width)}`;
  return signs
    .map((sign, index) => signPath(strokes[sign] ?? '', left + index * cell.width, top, cell))
    .join('');
}

function signPath(shape: string, left: number, top: number, cell: { width: number; height: number }): string {
  const [x, y] = [round(left + cell.width / 2), top + cell.height / 2];
  const ends: Record<string, [number, number]> = {
    l: [round(left), y],
    r: [round(left + cell.width), y],
    u: [x, top],
    d: [x, top + cell.height],
  };
  const points = [...(shape.split(' ').at(-1) ?? '')].map((side) => ends[side] ?? [x, y]);
  const [from, to] = points;
  if (shape.startsWith('round') && from && to) return `M${from.join(' ')}Q${x} ${y} ${to.join(' ')}`;
  if (points.length === 2 && from && to) return `M${from.join(' ')}L${x} ${y}L${to.join(' ')}`;
  return points.map((point) => `M${x} ${y}L${point.join(' ')}`).join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
