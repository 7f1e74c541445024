import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { complain } from '../headless/complain.ts';
import { processIo } from '../headless/process-io.ts';
import { isSameProcess } from '../lib/process-mark.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text.ts';
import { formatCount, formatUsd } from '../models/budget/caps.ts';
import { fileLedger, ledgerPath } from '../models/budget/file-ledger.ts';
import { reportOf } from '../models/budget/report.ts';
import { reportFromTranscripts } from '../models/budget/transcript-cost.ts';
import type { PriceOverrides } from '../models/prices.ts';
import { promptTokens } from '../models/prices.ts';
import type { CostReport, CostRow } from '../protocol/cost.ts';
import { checkHome, lookAround } from '../session/surroundings.ts';
import { loadSettings } from '../settings/load.ts';
import type { Layout } from '../store/layout.ts';
import { findSession, latestSession } from '../store/sessions.ts';
import { readTasks } from '../store/task-records.ts';
import { agentTranscripts } from '../store/transcript-files.ts';

/** `cadre cost`: what a session has used and cost, by agent and model; the latest of this directory by default. */
export async function printCost(session: string | undefined, flags: { json?: boolean }): Promise<number> {
  const io = processIo();
  const around = lookAround({});
  const home = checkHome(around);
  if (!home.ok) return complain(io, home.problem);
  const settings = await loadSettings({ ...around, sources: ['user', 'project', 'local'], trusted: false });
  if (!settings.ok) return complain(io, settings.problem);
  const found = await costOfSession(around.layout, around.cwd, session, settings.value.modelPricing);
  if (!found.ok) return complain(io, found.problem);
  const text = flags.json ? `${JSON.stringify(found.value, null, 2)}\n` : renderCost(found.value);
  return (await io.writeOut(text)) ? 0 : 1;
}

export interface SessionCost extends CostReport {
  sessionId: string;
  title: string;
  rows: NamedRow[];
}

/** A row together with who the agent was, where its session still knows. */
type NamedRow = CostRow & { agentType?: string; description?: string };

export async function costOfSession(
  layout: Layout,
  cwd: string,
  session: string | undefined,
  overrides: PriceOverrides = {},
): Promise<Result<SessionCost>> {
  const found = session === undefined ? await latestOf(layout, cwd) : await findSession(layout, session);
  if (!found.ok) return found;
  const { id, path, title } = found.value;
  const directory = path.slice(0, -'.jsonl'.length);
  const report = await reportFor(path, directory, overrides);
  if (!report.ok) return report;
  return ok({ sessionId: id, title, ...report.value, rows: await withNames(path, report.value.rows) });
}

async function withNames(transcript: string, rows: readonly CostRow[]): Promise<NamedRow[]> {
  if (rows.every((row) => row.agentId === null)) return [...rows];
  const read = await readTasks(transcript);
  const tasks = new Map(read.ok ? read.value.map(({ task }) => [task.id, task]) : []);
  return rows.map((row) => {
    const task = row.agentId === null ? undefined : tasks.get(row.agentId);
    if (!task?.agent) return row;
    return { ...row, agentType: task.agent.type, description: task.description };
  });
}

async function latestOf(layout: Layout, cwd: string) {
  const latest = await latestSession(layout, cwd);
  return latest
    ? ok(latest)
    : usage('There is no session in this directory.', 'cadre sessions --all lists those of others.');
}

async function reportFor(
  transcript: string,
  directory: string,
  overrides: PriceOverrides,
): Promise<Result<CostReport>> {
  const path = ledgerPath(directory);
  if (!existsSync(path))
    return reportFromTranscripts(transcript, agentTranscripts(join(directory, 'subagents')), overrides);
  const ledger = fileLedger(path);
  const read = ledger.refresh();
  ledger.close();
  return read.ok ? ok(reportOf(ledger.books, isSameProcess)) : read;
}

/** One line per agent and model, and the total once. */
export function renderCost({ sessionId, title, rows, totalMicroUsd }: SessionCost): string {
  const cells = [
    ['agent', 'model', 'requests', 'input', 'cached', 'output', 'cost'],
    ...rows.map(cellsOf),
    ['total', '', ...totalsOf(rows), money(totalMicroUsd)],
  ];
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  const lines = cells.map((row) =>
    row.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join('  '),
  );
  return [
    `${sessionId}  ${visibleLine(title, 60)}`,
    '',
    ...lines.map((line) => line.trimEnd()),
    ...notes(rows),
    '',
  ].join('\n');
}

function cellsOf(row: NamedRow): string[] {
  const type = row.agentType === undefined ? '' : ` ${visibleLine(row.agentType, 24)}`;
  const name = row.agentId === null ? 'lead' : `${visibleLine(row.agentId, 30)}${type}`;
  return [name, visibleLine(row.model, 40), ...totalsOf([row]), money(row.microUsd)];
}

function totalsOf(rows: readonly CostRow[]): string[] {
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
  const unknown = [...new Set(rows.filter((row) => row.microUsd === null).map((row) => row.model))];
  return [
    ...(estimated > 0
      ? ['', `${estimated} of the requests broke off before their use was known; they count as reserved.`]
      : []),
    ...(unknown.length > 0
      ? ['', `No price is known for ${visibleLine(unknown.join(', '), 200)}: set modelPricing.`]
      : []),
  ];
}
