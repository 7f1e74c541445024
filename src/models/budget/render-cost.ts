import { visibleLine } from '../../lib/text/text.ts';
import type { CostReport, CostRow } from '../../protocol/cost.ts';
import { promptTokens, totalTokens } from '../../protocol/message.ts';
import { formatCount, formatUsd } from './caps.ts';

/** The usage and cost of a session. */
export interface SessionCost extends CostReport {
  sessionId: string;
  title: string;
  rows: NamedRow[];
}

/** A row with the agent's name and task, if its session still knows them. */
export type NamedRow = CostRow & { agentType?: string; description?: string };

/**
 * One line per agent and model, and one total. Names are shortened if they do not fit into `width`; if the numbers do
 * not fit either, they are put below the names.
 */
export function renderCost(
  { sessionId, title, rows, totalMicroUsd }: SessionCost,
  width = Number.POSITIVE_INFINITY,
): string {
  const named = [...rows.map(buildCells), ['total', '', ...sumRows(rows), money(totalMicroUsd)]];
  const cells = shortenNames([heading, ...named], width);
  return [
    `${sessionId}  ${visibleLine(title, 60)}`,
    '',
    ...(measureExcess(cells, width) > 0 ? stack(named, width) : tabulate(cells)),
    ...notes(rows),
    '',
  ].join('\n');
}

const heading = ['agent', 'model', 'requests', 'input', 'cached', 'output', 'cost'];

function tabulate(cells: readonly string[][]): string[] {
  const widths = measureColumns(cells);
  return cells.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd(),
  );
}

function stack(rows: readonly string[][], width: number): string[] {
  return rows.flatMap(([agent = '', model = '', ...numbers]) => {
    const parts = numbers.map((number, index) =>
      index === numbers.length - 1 ? number : `${number} ${heading[index + 2]}`,
    );
    return [`${agent} ${model}`.trimEnd(), ...breakList(parts, width - 2).map((line) => `  ${line}`)];
  });
}

/** As many of them in a line as fit. */
function breakList(parts: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = `${lines.at(-1)}, ${part}`;
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}

function measureColumns(cells: readonly string[][]): number[] {
  return (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
}

const minNameWidth = 8;

function measureExcess(cells: readonly string[][], width: number): number {
  return measureColumns(cells).reduce((sum, one) => sum + one + 2, -2) - width;
}

/** First models lose their provider, then all names lose their ends: the table is about the numbers. */
function shortenNames(cells: readonly string[][], width: number): string[][] {
  const short = (all: readonly string[][], column: number, change: (name: string) => string) =>
    all.map((row) => row.map((cell, index) => (index === column ? change(cell) : cell)));
  const cut = (all: readonly string[][], column: number) => {
    const room = Math.max(
      minNameWidth,
      (measureColumns(all)[column] ?? 0) - Math.max(0, measureExcess(all, width)),
    );
    return short(all, column, (name) => (name.length > room ? `${name.slice(0, room - 1)}…` : name));
  };
  if (measureExcess(cells, width) <= 0) return [...cells];
  const bare = short(cells, 1, (name) => name.slice(name.lastIndexOf('/') + 1));
  return cut(cut(bare, 0), 1);
}

function buildCells(row: NamedRow): string[] {
  const type = row.agentType === undefined ? '' : ` ${visibleLine(row.agentType, 24)}`;
  const name = row.agentId === null ? 'lead' : `${visibleLine(row.agentId, 30)}${type}`;
  return [name, visibleLine(row.model, 40), ...sumRows([row]), money(row.microUsd)];
}

function sumRows(rows: readonly CostRow[]): string[] {
  const sum = (of: (row: CostRow) => number) => formatCount(rows.reduce((total, row) => total + of(row), 0));
  return [
    sum((row) => row.requests),
    sum((row) => promptTokens(row.usage)),
    sum((row) => row.usage.cache_read_input_tokens),
    sum((row) => row.usage.output_tokens),
  ];
}

function money(microUsd: number | null): string {
  return microUsd === null ? 'unknown' : formatUsd(microUsd);
}

function pad(cell: string, width: number, column: number): string {
  return column < 2 ? cell.padEnd(width) : cell.padStart(width);
}

function notes(rows: readonly CostRow[]): string[] {
  const estimated = rows.reduce((sum, row) => sum + row.estimated, 0);
  const held = rows.reduce((sum, row) => sum + (row.heldMicroUsd ?? 0), 0);
  const unknown = [...new Set(rows.filter((row) => row.microUsd === null).map((row) => row.model))];
  const tokens = rows.reduce((sum, row) => sum + totalTokens(row.usage), 0);
  return [
    '',
    `${formatCount(tokens)} tokens: input and output together. Cached tokens are part of the input.`,
    ...(estimated > 0
      ? [
          '',
          `${estimated === 1 ? '1 request' : `${estimated} requests`} ended without a complete count. ${formatUsd(held)} is held for ${estimated === 1 ? 'it' : 'them'}, the most that can have cost; it is not counted as spent, but against a limit it counts until the session is removed: a higher limit makes up for it.`,
        ]
      : []),
    ...(unknown.length > 0
      ? ['', `The price of ${visibleLine(unknown.join(', '), 200)} is unknown: set modelPricing.`]
      : []),
  ];
}
