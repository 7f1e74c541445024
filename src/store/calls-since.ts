import { statEntry } from '../lib/files/entry-at.ts';
import { type ToolResultBlock, textOf, toolUses } from '../protocol/message.ts';
import type { CommandFilesRecord } from '../protocol/record.ts';
import type { OperationChange } from '../workspace/git/operations.ts';
import type { ReferenceChange } from '../workspace/git/reference-changes.ts';
import type { StagedChange } from '../workspace/git/staged.ts';
import { offersLostStash } from '../workspace/git/stashes.ts';
import { type LoadedTranscript, readRecords } from './transcript.ts';
import { agentTranscripts } from './transcript-files.ts';

/** Calls whose effects are not fully known. */
export interface CallsSince {
  shellCommands: number;
  /** Paths that commands changed and that are not covered. */
  uncovered: Set<string>;
  /** Why more may have changed than was seen. */
  unseen: Set<string>;
  /** Effects of commands on git's own data that are not undone, in sentences. */
  lost: Set<string>;
  /** Effects on it that were repaired, or can be. */
  repaired: Set<string>;
  /** Git references they moved, and when that was noted. */
  references: (ReferenceChange & { at: string })[];
  /** Content that they took out of git's index. */
  unstaged: StagedChange[];
  /** Merges and the like that they ended or began. */
  operations: OperationChange[];
  /** Objects that `repaired` needs. */
  gitObjects: { root: string; ids: string[] }[];
  landings: number;
  /** MCP tools, with the number of calls of each. */
  elsewhere: Map<string, number>;
}

/** Calls by the lead and all other agents since a point: by time, because each agent has its own transcript. */
export async function callsSince(
  later: LoadedTranscript['records'],
  subagents: string,
  at: string,
  /** Calls that wait for an answer. */
  unanswered: ReadonlySet<string> = new Set(),
): Promise<CallsSince> {
  const calls: CallsSince = {
    shellCommands: 0,
    landings: 0,
    elsewhere: new Map(),
    uncovered: new Set(),
    unseen: new Set(),
    lost: new Set(),
    repaired: new Set(),
    references: [],
    unstaged: [],
    operations: [],
    gitObjects: [],
  };
  const landing = new Set<string>();
  const commands = new Set<string>();
  const count = (record: StoredRecord) => {
    if (record.type === 'command-files') noteUncovered(record, calls);
    countCalls(record, calls, landing, commands);
    calls.landings += countResults(record, landing, ({ content }) => landedRow.test(textOf(content)));
    calls.shellCommands -= countResults(record, commands, wasNotRun);
  };
  later.forEach(count);
  for (const path of agentTranscripts(subagents)) {
    // One that cannot be read has no calls to count.
    await readRecords(path, (record) => {
      if ('timestamp' in record && record.timestamp >= at) count(record);
    });
  }
  calls.shellCommands -= commands.intersection(unanswered).size;
  return calls;
}

type StoredRecord = LoadedTranscript['records'][number];

function noteUncovered(record: CommandFilesRecord, calls: CallsSince): void {
  const { uncovered = [], unseen, lost = [], repaired = [], references = [] } = record;
  for (const path of uncovered) calls.uncovered.add(path);
  for (const loss of lost) calls.lost.add(loss);
  for (const repair of repaired) calls.repaired.add(repair);
  calls.references.push(...references.map((change) => ({ ...change, at: record.timestamp })));
  calls.unstaged.push(...(record.unstaged ?? []));
  calls.operations.push(...(record.operations ?? []));
  calls.gitObjects.push(...(record.gitObjects ?? []));
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

/** The number of results of such calls that are `wanted`; each call has one. */
function countResults(
  record: StoredRecord,
  calls: Set<string>,
  wanted: (result: ToolResultBlock) => boolean,
): number {
  if (record.type !== 'user') return 0;
  return record.message.content.filter(
    (block) => block.type === 'tool_result' && calls.delete(block.tool_use_id) && wanted(block),
  ).length;
}

/** Judged by its report alone: a call may just read, hit a conflict, or be interrupted. */
const landedRow = /^landed {2}/m;

/** One without a result may have run. A failure starts with how it ended, whatever the command printed. */
function wasNotRun({ is_error, content }: ToolResultBlock): boolean {
  return is_error === true && refused.test(textOf(content));
}

const refused =
  /^(Permission denied|Not run|The command was not run|The input of \S+ (is invalid|does not fit)): /;

const maxNamed = 5;

/** In sentences, for the user who rewinds. What they moved in git's own data is described elsewhere. */
export function describeCalls({
  shellCommands,
  landings,
  elsewhere,
  uncovered,
  unseen,
  lost,
  repaired,
}: CallsSince): string[] {
  const said: string[] = [];
  if (shellCommands > 0)
    said.push(
      `${times(shellCommands, 'shell command')} since then. Changes to ignored files, to files outside the working directories, and to anything that is not a file are not undone.`,
    );
  const missing = missingAmong(uncovered);
  const changed = [...uncovered].filter((path) => !missing.includes(path));
  if (changed.length > 0) said.push(`Changed since then, but not covered: ${nameSome(changed)}.`);
  if (missing.length > 0) said.push(`Missing now, but not covered: ${nameSome(missing)}.`);
  for (const why of unseen) said.push(`More may have changed: ${why}.`);
  const offered = [...repaired].filter((repair) => !offersLostStash(repair, lost));
  said.push(...lost, ...offered);
  if (landings > 0) said.push(`Landings since then: ${landings}. To undo them, use git.`);
  for (const [name, count] of elsewhere)
    said.push(`Calls of ${name} since then: ${count}. Their effects are not undone.`);
  return said;
}

/** Whether files that no record names may be missing or changed. */
export function isIncomplete({ unseen, uncovered, lost }: CallsSince): boolean {
  return unseen.size > 0 || lost.size > 0 || missingAmong(uncovered).length > 0;
}

function missingAmong(paths: ReadonlySet<string>): string[] {
  return [...paths].filter((path) => statEntry(path) === undefined);
}

function nameSome(paths: readonly string[]): string {
  const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : '';
  return `${paths.slice(0, maxNamed).join(', ')}${more}`;
}

function times(count: number, what: string): string {
  return count === 1 ? `1 ${what} ran` : `${count} ${what}s ran`;
}
