import { formatJson } from '../../lib/fields/parse-json.ts';
import { ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { lookAround } from '../../session/surroundings.ts';
import { listSessions, type SessionSummary } from '../../store/sessions.ts';
import type { FlagsOf } from '../table/commands.ts';

/** `cadre sessions`: newest first, with the details needed to resume one. */
export async function printSessions(flags: FlagsOf<'sessions'>): Promise<Result<string>> {
  const around = lookAround({});
  const sessions = await listSessions(around.layout, flags.all ? undefined : around.cwd);
  return ok(flags.json ? formatJson(sessions) : table(sessions, flags.all));
}

function table(sessions: readonly SessionSummary[], all = false): string {
  if (sessions.length === 0) return `No sessions ${all ? 'yet' : 'in this directory'}.\n`;
  return sessions
    .map(
      (session) =>
        `${session.id}  ${age(session.modifiedAt)}  ${session.title}${formatMode(session)}${formatAgentCount(session)}${formatHolder(session)}\n`,
    )
    .join('');
}

function formatMode({ mode, scratchpad }: SessionSummary): string {
  return `${mode ? `  (${mode})` : ''}${scratchpad ? `  (scratchpad: ${scratchpad})` : ''}`;
}

function formatAgentCount({ agentCount }: SessionSummary): string {
  if (agentCount === 0) return '';
  return agentCount === 1 ? '  (1 agent)' : `  (${agentCount} agents)`;
}

/** With the next step: it cannot be continued here. */
function formatHolder({ id, movedTo }: SessionSummary): string {
  if (!movedTo) return '';
  return `  (on the worker ${visibleLine(movedTo.name, 60)}: cadre attach ${id.slice(0, 8)}, or cadre move ${id.slice(0, 8)} --to here)`;
}

function age(modifiedAt: number): string {
  const minutes = Math.max(0, Math.round((Date.now() - modifiedAt) / 60_000));
  if (minutes < 60) return `${minutes} min`.padStart(8);
  const hours = Math.round(minutes / 60);
  return (hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`).padStart(8);
}
