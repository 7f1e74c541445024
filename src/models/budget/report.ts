import { addUsage, type CostReport, type CostRow, noUsage } from '../../protocol/index.ts';
import type { Books, Spending } from './books.ts';
import type { AccountPath } from './records.ts';

/**
 * The spending in the ledger. `isAlive` tells whether the process of an open request can still settle it; a request
 * that will not be settled stays held. `root`: the account whose owner counts as the lead; others are left out.
 */
export function reportBooks(
  books: Books,
  isAlive: (owner: { pid: number; start: string }) => boolean,
  root: AccountPath = [],
): CostReport {
  const rows = new Map<string, CostRow>();
  const isBelow = (path: AccountPath) => root.every((part, at) => path[at] === part);
  const findAgent = (path: AccountPath) => (path.length > root.length ? (path.at(-1) ?? null) : null);
  for (const spending of books.spendings)
    if (isBelow(spending.path)) addRow(rows, buildRow(spending, findAgent(spending.path)));
  for (const { path, model, microUsd, owner } of books.open)
    if (!isAlive(owner) && isBelow(path))
      addRow(rows, {
        agentId: findAgent(path),
        model,
        usage: noUsage,
        microUsd: microUsd === null ? null : 0,
        heldMicroUsd: microUsd ?? 0,
        requests: 1,
        estimated: 1,
      });
  return totalled([...rows.values()]);
}

export function totalled(rows: CostRow[]): CostReport {
  const totalMicroUsd = rows.reduce<number | null>((sum, row) => add(sum, row.microUsd), 0);
  const heldMicroUsd = rows.reduce((sum, row) => sum + (row.heldMicroUsd ?? 0), 0);
  return { totalMicroUsd, heldMicroUsd, rows };
}

export function addRow(rows: Map<string, CostRow>, row: CostRow): void {
  const key = `${row.agentId ?? ''} ${row.model}`;
  const before = rows.get(key);
  if (!before) return void rows.set(key, row);
  before.usage = addUsage(before.usage, row.usage);
  before.microUsd = add(before.microUsd, row.microUsd);
  before.heldMicroUsd = (before.heldMicroUsd ?? 0) + (row.heldMicroUsd ?? 0);
  before.requests += row.requests;
  before.estimated += row.estimated;
}

function buildRow(
  { model, usage, microUsd, heldMicroUsd, unpriced, requests, estimated }: Readonly<Spending>,
  agentId: string | null,
): CostRow {
  return {
    agentId,
    model,
    usage,
    microUsd: unpriced > 0 ? null : microUsd,
    heldMicroUsd,
    requests,
    estimated,
  };
}

function add(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}
