import { textOf, toolUses } from '../protocol/message.ts';
import { type LoadedTranscript, loadTranscript } from './transcript.ts';
import { agentTranscripts } from './transcript-files.ts';

/** Calls whose work outside of edited files nobody keeps. */
export interface CallsSince {
  shellCommands: number;
  landings: number;
  /** Tools of MCP servers, with how often each was called. */
  elsewhere: Map<string, number>;
}

/** What agents called from a point on, the lead and all others: by its time, since each has a transcript of its own. */
export async function callsSince(
  later: LoadedTranscript['records'],
  subagents: string,
  at: string,
): Promise<CallsSince> {
  const calls: CallsSince = { shellCommands: 0, landings: 0, elsewhere: new Map() };
  const landing = new Set<string>();
  const count = (record: StoredRecord) => {
    countCalls(record, calls, landing);
    calls.landings += landedIn(record, landing);
  };
  later.forEach(count);
  for (const path of agentTranscripts(subagents)) {
    const loaded = await loadTranscript(path);
    if (!loaded.ok) continue;
    for (const record of loaded.value.records)
      if ('timestamp' in record && record.timestamp >= at) count(record);
  }
  return calls;
}

type StoredRecord = LoadedTranscript['records'][number];

function countCalls(record: StoredRecord, calls: CallsSince, landing: Set<string>): void {
  if (record.type !== 'assistant' || record.copyOf !== undefined) return;
  for (const { id, name } of toolUses(record.message)) {
    if (name === 'Bash' || name === 'Monitor') calls.shellCommands++;
    else if (name === 'Land') landing.add(id);
    else if (name.startsWith('mcp__')) calls.elsewhere.set(name, (calls.elsewhere.get(name) ?? 0) + 1);
  }
}

/** Only what its report says: a call may just look, meet a conflict, or be cut off. */
function landedIn(record: StoredRecord, landing: Set<string>): number {
  if (record.type !== 'user') return 0;
  const reports = record.message.content.filter(
    (block) =>
      block.type === 'tool_result' &&
      landing.delete(block.tool_use_id) &&
      landedRow.test(textOf(block.content)),
  );
  return reports.length;
}

const landedRow = /^landed {2}/m;

/** In sentences, for whoever goes back. */
export function describeCalls({ shellCommands, landings, elsewhere }: CallsSince): string[] {
  const said: string[] = [];
  if (shellCommands > 0)
    said.push(
      `${times(shellCommands, 'shell command')} since: what ${shellCommands === 1 ? 'it' : 'they'} did to files that no agent had edited, and outside of files, stays.`,
    );
  if (landings > 0) said.push(`Work was landed since (${landings}): git has it, and only git takes it back.`);
  for (const [name, count] of elsewhere) said.push(`${name} was called since (${count}): what it did stays.`);
  return said;
}

function times(count: number, what: string): string {
  return count === 1 ? `1 ${what} ran` : `${count} ${what}s ran`;
}
