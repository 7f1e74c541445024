import { complain } from '../../headless/complain.ts';
import { processIo } from '../../headless/process-io.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { lookAround } from '../../session/surroundings.ts';
import { renderCensus } from '../../workflows/census.ts';
import { describeRun, listRecordedRuns, type RunDescription } from '../../workflows/list-runs.ts';
import { locateRuns, readJournal } from '../../workflows/read-journal.ts';
import type { FlagsOf } from '../table/commands.ts';

/** `cadre workflows runs`: the runs of this user, the newest first. */
export async function listRuns({ json }: FlagsOf<'workflows runs'>): Promise<number> {
  const io = processIo();
  const { home, machine } = lookAround({});
  const { runs, broken } = await listRecordedRuns(locateRuns(home), machine);
  if (json) return (await io.writeOut(`${JSON.stringify({ runs, broken }, null, 2)}\n`)) ? 0 : 1;
  if (runs.length + broken.length === 0) return (await io.writeOut('No runs.\n')) ? 0 : 1;
  const lines = [...runs.map(renderRun), ...broken.map((reason) => `ignored: ${visibleLine(reason, 300)}`)];
  return (await io.writeOut(`${lines.join('\n')}\n`)) ? 0 : 1;
}

/** `cadre workflows show RUN`: its calls. */
export async function showRun(runId: string, { json }: FlagsOf<'workflows show'>): Promise<number> {
  const io = processIo();
  const { home, machine } = lookAround({});
  const read = await readJournal(locateRuns(home), runId, machine.disk);
  if (!read.ok) return complain(io, read.problem);
  const run = describeRun(read.value, locateRuns(home), machine);
  if (json) return (await io.writeOut(`${JSON.stringify(run, null, 2)}\n`)) ? 0 : 1;
  const calls = run.calls.map(
    ({ callId, label, phase, outcome, agentId, reason }) =>
      `  ${callId}  ${(outcome ?? 'open').padEnd(11)}  ${visibleLine(`${phase ? `${phase}: ` : ''}${label}`, 100)}` +
      `${agentId ? ` (${agentId})` : ''}${reason ? `: ${visibleLine(reason, 200)}` : ''}`,
  );
  return (await io.writeOut(`${[renderRun(run), ...calls].join('\n')}\n`)) ? 0 : 1;
}

function renderRun({ runId, name, status, createdAt, census, owner, reason }: RunDescription): string {
  const who = owner === undefined ? '' : ` (process ${owner})`;
  const why = reason ? `: ${visibleLine(reason, 200)}` : '';
  return `${runId}  ${createdAt}  ${status}${who}  ${visibleLine(name, 60)}  ${renderCensus(census)}${why}`;
}
