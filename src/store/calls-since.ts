import { type ToolResultBlock, textOf, toolUses } from '../protocol/message.ts';
import type { CommandFilesRecord } from '../protocol/record.ts';
import { type LoadedTranscript, loadTranscript } from './transcript.ts';
import { agentTranscripts } from './transcript-files.ts';

/** Calls whose work is not wholly known. */
export interface CallsSince {
  shellCommands: number;
  /** Paths that commands changed and that are not covered. */
  uncovered: Set<string>;
  /** Why more may have changed than was seen. */
  unseen: Set<string>;
  landings: number;
  /** Tools of MCP servers, with how often each was called. */
  elsewhere: Map<string, number>;
}

/** What agents called from a point on, the lead and all others: by its time, since each has a transcript of its own. */
export async function callsSince(
  later: LoadedTranscript['records'],
  subagents: string,
  at: string,
  /** Calls that wait for an answer. */
  unanswered: ReadonlySet<string> = new Set(),
): Promise<CallsSince> {
  const calls: CallsSince = {
    ...{ shellCommands: 0, landings: 0, elsewhere: new Map() },
    ...{ uncovered: new Set(), unseen: new Set() },
  };
  const landing = new Set<string>();
  const commands = new Set<string>();
  const count = (record: StoredRecord) => {
    if (record.type === 'command-files') noteUncovered(record, calls);
    countCalls(record, calls, landing, commands);
    calls.landings += resultsIn(record, landing, ({ content }) => landedRow.test(textOf(content)));
    calls.shellCommands -= resultsIn(record, commands, wasNotRun);
  };
  later.forEach(count);
  for (const path of agentTranscripts(subagents)) {
    const loaded = await loadTranscript(path);
    if (!loaded.ok) continue;
    for (const record of loaded.value.records)
      if ('timestamp' in record && record.timestamp >= at) count(record);
  }
  calls.shellCommands -= commands.intersection(unanswered).size;
  return calls;
}

type StoredRecord = LoadedTranscript['records'][number];

function noteUncovered({ uncovered = [], unseen }: CommandFilesRecord, calls: CallsSince): void {
  for (const path of uncovered) calls.uncovered.add(path);
  if (unseen !== undefined) calls.unseen.add(unseen);
}

function countCalls(
  record: StoredRecord,
  calls: CallsSince,
  landing: Set<string>,
  commands: Set<string>,
): void {
  if (record.type !== 'assistant' || record.copyOf !== undefined) return;
  for (const { id, name } of toolUses(record.message)) {
    if (name === 'Bash' || name === 'Monitor') {
      calls.shellCommands++;
      commands.add(id);
    } else if (name === 'Land') landing.add(id);
    else if (name.startsWith('mcp__')) calls.elsewhere.set(name, (calls.elsewhere.get(name) ?? 0) + 1);
  }
}

/** How many results of such calls are `wanted`; each call has one. */
function resultsIn(
  record: StoredRecord,
  calls: Set<string>,
  wanted: (result: ToolResultBlock) => boolean,
): number {
  if (record.type !== 'user') return 0;
  return record.message.content.filter(
    (block) => block.type === 'tool_result' && calls.delete(block.tool_use_id) && wanted(block),
  ).length;
}

/** Only what its report says: a call may just look, meet a conflict, or be cut off. */
const landedRow = /^landed {2}/m;

/** One without a result may have run. What fails begins with how it ended, whatever the command printed. */
function wasNotRun({ is_error, content }: ToolResultBlock): boolean {
  return is_error === true && refused.test(textOf(content));
}

const refused = /^(Permission denied|Not run|The command was not run|The input of \S+ does not fit): /;

const maxNamed = 5;

/** In sentences, for whoever goes back. */
export function describeCalls({
  shellCommands,
  landings,
  elsewhere,
  uncovered,
  unseen,
}: CallsSince): string[] {
  const said: string[] = [];
  if (shellCommands > 0)
    said.push(
      `${times(shellCommands, 'shell command')} since: what ${shellCommands === 1 ? 'it' : 'they'} did to ignored files, outside the working directories, and other than to files, stays.`,
    );
  if (uncovered.size > 0) said.push(`Changed since and not covered: ${nameSome([...uncovered])}.`);
  for (const why of unseen) said.push(`More may have changed: ${why}.`);
  if (landings > 0) said.push(`Work was landed since (${landings}): git has it, and only git takes it back.`);
  for (const [name, count] of elsewhere) said.push(`${name} was called since (${count}): what it did stays.`);
  return said;
}

function nameSome(paths: readonly string[]): string {
  const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : '';
  return `${paths.slice(0, maxNamed).join(', ')}${more}`;
}

function times(count: number, what: string): string {
  return count === 1 ? `1 ${what} ran` : `${count} ${what}s ran`;
}
