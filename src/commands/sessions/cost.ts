import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formatJson } from '../../lib/fields/parse-json.ts';
import { isSameProcess } from '../../lib/processes/mark.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { fileLedger, ledgerPath } from '../../models/budget/file-ledger.ts';
import { type NamedRow, renderCost, type SessionCost } from '../../models/budget/render-cost.ts';
import { reportBooks } from '../../models/budget/report.ts';
import { reportFromTranscripts } from '../../models/budget/transcript-cost.ts';
import type { PriceOverrides } from '../../models/prices.ts';
import type { CostReport, CostRow } from '../../protocol/cost.ts';
import { totalTokens } from '../../protocol/message.ts';
import { lookAround } from '../../session/surroundings.ts';
import type { Layout } from '../../store/layout.ts';
import { findSession, latestSession } from '../../store/sessions.ts';
import { readTasks } from '../../store/task-records.ts';
import { agentTranscripts } from '../../store/transcript-files.ts';
import { readSettings } from '../read-settings.ts';
import type { FlagsOf } from '../table/commands.ts';

/** `cadre cost`: a session's usage and cost, by agent and model; the latest of this directory by default. */
export async function printCost(
  session: string | undefined,
  flags: FlagsOf<'cost'>,
): Promise<Result<string>> {
  const around = lookAround({});
  const settings = await readSettings(around);
  if (!settings.ok) return settings;
  const found = await readSessionCost(around.layout, around.cwd, session, settings.value.modelPricing);
  return found.ok ? ok(flags.json ? formatJson(found.value) : renderCost(found.value)) : found;
}

export async function readSessionCost(
  layout: Layout,
  cwd: string,
  session: string | undefined,
  overrides: PriceOverrides = {},
): Promise<Result<SessionCost>> {
  const found = session === undefined ? await findLatest(layout, cwd) : await findSession(layout, session);
  if (!found.ok) return found;
  const { id, path, title } = found.value;
  const directory = path.slice(0, -'.jsonl'.length);
  const report = await readReport(path, directory, overrides);
  if (!report.ok) return report;
  return ok({ sessionId: id, title, ...report.value, rows: await withNames(path, report.value.rows) });
}

/** An agent's usage over all its requests; undefined if the session's ledger does not say. */
export async function countAgentTokens(transcript: string, agentId: string): Promise<number | undefined> {
  const report = await readReport(transcript, transcript.slice(0, -'.jsonl'.length), {});
  const rows = report.ok ? report.value.rows.filter((row) => row.agentId === agentId) : [];
  return rows.length === 0 ? undefined : rows.reduce((sum, { usage }) => sum + totalTokens(usage), 0);
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

async function findLatest(layout: Layout, cwd: string) {
  const latest = await latestSession(layout, cwd);
  return latest
    ? ok(latest)
    : usage(
        'There is no session in this directory.',
        'cadre sessions --all lists sessions of other directories.',
      );
}

async function readReport(
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
  return read.ok ? ok(reportBooks(ledger.books, isSameProcess)) : read;
}
