import { processIo } from '../../headless/process-io.ts';
import { ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { AuditEntry } from '../../permissions/audit.ts';
import { readAudit } from '../../permissions/read-audit.ts';
import { lookAround } from '../../session/surroundings.ts';
import { isSessionId, type Layout } from '../../store/layout.ts';
import { findSession } from '../../store/sessions.ts';
import type { FlagsOf } from '../table/commands.ts';

/** `cadre audit`: questions, answers, refusals and grants; oldest first, by default the newest fifty. */
export async function printAudit(flags: FlagsOf<'audit'>): Promise<Result<string>> {
  const around = lookAround({});
  const session = await fullId(flags.session, around.layout);
  if (!session.ok) return session;
  const read = await readAudit(around.home, { last: flags.last ?? 50, sessionId: session.value });
  if (!read.ok) return read;
  for (const damage of read.value.damage) processIo().writeErr(`cadre: ${damage}: skipped.\n`);
  const { entries } = read.value;
  return ok(flags.json ? entries.map((entry) => `${JSON.stringify(entry)}\n`).join('') : render(entries));
}

/** A session may be named by the beginning of its id; for a deleted one the full id finds its entries. */
async function fullId(given: string | undefined, layout: Layout): Promise<Result<string | undefined>> {
  if (given === undefined || isSessionId(given)) return ok(given?.toLowerCase());
  const found = await findSession(layout, given);
  return found.ok ? ok(found.value.id) : found;
}

function render(entries: readonly AuditEntry[]): string {
  if (entries.length === 0) return 'The audit log has no matching entries.\n';
  return entries
    .map(
      (entry) =>
        `${entry.at.slice(0, 19)}Z  ${entry.sessionId.slice(0, 8)}  ${visibleLine(describe(entry), 2_000)}\n`,
    )
    .join('');
}

function describe(entry: AuditEntry): string {
  switch (entry.type) {
    case 'question':
      return `asked ${short(entry.questionId)} ${entry.agentType} · ${entry.tool} ${what(entry.input)} · risk ${entry.risk} · ${entry.decision.reason}`;
    case 'answer':
      return `${entry.behaviour === 'allow' ? 'allowed' : 'refused'} ${short(entry.questionId)} by ${entry.by}${entry.reason ? ` · ${entry.reason}` : ''}${entry.changed ? ` · changed to ${what(entry.changed)}` : ''}`;
    case 'denial':
      return `denied ${entry.agentId ?? 'lead'} · ${entry.tool} ${what(entry.input)} · by ${entry.decision.by} · ${entry.decision.reason}`;
    case 'skip':
      return `allowed by a hook ${entry.agentId ?? 'lead'} · ${entry.tool} ${what(entry.input)} · ${entry.decision.reason}${entry.changed ? ` · changed to ${what(entry.changed)}` : ''}`;
    case 'grant':
      return `granted ${short(entry.questionId)} ${entry.scope} · ${entry.change}${entry.file ? ` · in ${entry.file}` : ''}${entry.problem ? ` · not saved: ${entry.problem}` : ''}`;
  }
}

function what(input: Record<string, unknown>): string {
  const main = input.command ?? input.file_path ?? input.notebook_path ?? input.url ?? input.pattern;
  return typeof main === 'string' ? main : JSON.stringify(input);
}

function short(id: string): string {
  return id.slice(-8);
}
