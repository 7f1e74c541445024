/** One row: the medians by contestant, and what Cadre promises against the best peer. */
export interface Row {
  title: string;
  unit: string;
  figures: Record<string, number>;
  goal: Goal;
}

export type Goal =
  | { kind: 'share'; of: number; text: string }
  | { kind: 'limit'; atMost: number; text: string }
  /** Nothing is promised; it is good to know. */
  | { kind: 'none'; text: string };

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

export function renderTable(rows: Row[], names: string[]): string {
  const header = ['', ...names, 'cadre ÷ best peer', 'promise', ''];
  const body = rows.map((row) => {
    const figures = names.map((name) => shown(row.figures[name], row.unit));
    const ratio = ratioOf(row);
    return [
      `${row.title}, ${row.unit}`,
      ...figures,
      ratio === undefined ? '–' : ratio.toFixed(2),
      row.goal.text,
      verdict(row, ratio),
    ];
  });
  const widths = header.map((_, column) =>
    Math.max(...[header, ...body].map((line) => line[column]?.length ?? 0)),
  );
  const render = (line: string[]) =>
    line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  return [render(header), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(render)].join(
    '\n',
  );
}

function shown(figure: number | undefined, unit: string): string {
  if (figure === undefined) return '–';
  if (figure >= 100) return figure.toFixed(0);
  return unit === 'ratio' ? figure.toFixed(3) : figure.toFixed(1);
}

/** Builds of Cadre are no peers. */
const ownNames = ['cadre', 'before'];

function ratioOf({ figures }: Row): number | undefined {
  const peers = Object.entries(figures).flatMap(([name, figure]) =>
    ownNames.includes(name) ? [] : [figure],
  );
  return figures.cadre === undefined || peers.length === 0 ? undefined : figures.cadre / Math.min(...peers);
}

function verdict({ figures, goal }: Row, ratio: number | undefined): string {
  if (figures.cadre === undefined) return 'not measured';
  if (goal.kind === 'none') return '';
  if (goal.kind === 'limit') return figures.cadre <= goal.atMost ? 'kept' : 'missed';
  if (ratio === undefined) return 'no peer';
  return ratio <= goal.of ? 'kept' : 'missed';
}
