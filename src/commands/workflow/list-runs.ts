import { formatJson } from '../../lib/fields/parse-json.ts';
import { ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { lookAround } from '../../session/surroundings.ts';
import { renderCensus } from '../../workflows/census.ts';
import { describeRun, listRecordedRuns, type RunDescription } from '../../workflows/list-runs.ts';
import { locateRuns, readJournal } from '../../workflows/read-journal.ts';
import type { FlagsOf } from '../table/commands.ts';

/** `cadre workflows runs`: the runs of this user, the newest first. */
export async function listRuns({ json }: FlagsOf<'workflows runs'>): Promise<Result<string>> {
  const { home, machine } = lookAround({});
  const { runs, broken } = await listRecordedRuns(locateRuns(home), machine);
  if (json) return ok(formatJson({ runs, broken }));
  if (runs.length + broken.length === 0) return ok('No runs.\n');
  const lines = [...runs.map(renderRun), ...broken.map((reason) => `ignored: ${visibleLine(reason, 300)}`)];
  return ok(`${lines.join('\n')}\n`);
}

/** `cadre workflows show RUN`: its calls. */
export async function showRun(runId: string, { json }: FlagsOf<'workflows show'>): Promise<Result<string>> {
  const { home, machine } = lookAround({});
  const read = await readJournal(locateRuns(home), runId, machine.disk);
  if (!read.ok) return read;
  const run = describeRun(read.value, locateRuns(home), machine);
  if (json) return ok(formatJson(run));
  const calls = run.calls.map(
    ({ callId, label, phase, outcome, agentId, reason }) =>
      `  ${callId}  ${(outcome ?? 'open').padEnd(11)}  ${visibleLine(`${phase ? `${phase}: ` : ''}${label}`, 100)}` +
      `${agentId ? ` (${agentId})` : ''}${reason ? `: ${visibleLine(reason, 200)}` : ''}`,
  );
  return ok(`${[renderRun(run), ...calls].join('\n')}\n`);
}

function renderRun({ runId, name, status, createdAt, census, owner, reason }: RunDescription): string {
  const who = owner === undefined ? '' : ` (process ${owner})`;
  const why = reason ? `: ${visibleLine(reason, 200)}` : '';
  return `${runId}  ${createdAt}  ${status}${who}  ${visibleLine(name, 60)}  ${renderCensus(census)}${why}`;
}
