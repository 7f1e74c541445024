import { isAbsolute, normalize, resolve } from 'node:path';
import {
  type CommandReceipt,
  type FileHistoryRecord,
  type HeaderRecord,
  type TranscriptRecord,
  textOf,
} from '../protocol/index.ts';

/** One call that an agent made, as its transcript has it. */
export interface SeenCall {
  id: string;
  /** Null for the lead. */
  agentId: string | null;
  tool: string;
  /** Of a shell command. */
  command?: string | undefined;
  /** It may run on while other calls do. */
  isBackground?: boolean | undefined;
  /** When the model asked for it: ISO 8601. */
  at: string;
  /** Absent: it has no result. */
  result?: { isError: boolean; text: string } | undefined;
  /** Absent unless it was a command that ran to an end. */
  receipt?: CommandReceipt | undefined;
}

export interface SeenChange {
  path: string;
  agentId: string | null;
  toolUseId: string;
  /** ISO 8601. */
  at: string;
  before: string | null;
  /** Undefined: not known. */
  after: string | null | undefined;
  cause?: FileHistoryRecord['cause'];
  /** A command of another agent may have made it. */
  isShared?: boolean | undefined;
}

/** What the harness recorded of a run: from transcripts, and nothing else. */
export interface Evidence {
  calls: SeenCall[];
  /** Oldest first. */
  changes: SeenChange[];
  /** Where each agent worked; null for the lead. */
  directories: ReadonlyMap<string | null, string>;
}

export type EvidenceRecord = Exclude<TranscriptRecord, HeaderRecord>;

/** A transcript to take evidence from. */
export interface EvidenceSource {
  agentId: string | null;
  cwd: string;
  records: readonly EvidenceRecord[];
}

/** Collects what transcripts show. Ids of calls are unique per agent only. */
export function collectEvidence(sources: readonly EvidenceSource[]): Evidence {
  const calls = new Map<string, SeenCall>();
  const changes: SeenChange[] = [];
  const directories = new Map<string | null, string>();
  const ends: { agentId: string | null; toolUseId: string; receipt: CommandReceipt }[] = [];
  for (const { agentId, cwd, records } of sources) {
    directories.set(agentId, cwd);
    for (const record of records) {
      if (record.type === 'agent-state') directories.set(agentId, record.cwd);
      else if (record.type === 'file-history') changes.push(readChange(record));
      else if (record.type === 'task-state' && record.end?.receipt && record.task.toolUseId !== undefined)
        ends.push({
          agentId: record.task.owner,
          toolUseId: record.task.toolUseId,
          receipt: record.end.receipt,
        });
      else if (record.type === 'user' || record.type === 'assistant') noteMessage(calls, agentId, record);
    }
  }
  for (const { agentId, toolUseId, receipt } of ends) {
    const call = calls.get(formatKey(agentId, toolUseId));
    if (call) call.receipt = receipt;
  }
  const seen = [...calls.values()];
  return { calls: seen, changes: withoutFailed(changes, calls).sort(byTime), directories };
}

type MessageSeen = Extract<EvidenceRecord, { type: 'user' | 'assistant' }>;

/** A compaction's copies repeat what was said, so only the first of each counts. */
function noteMessage(calls: Map<string, SeenCall>, agentId: string | null, record: MessageSeen): void {
  for (const block of record.message.content) {
    if (record.type === 'assistant' && block.type === 'tool_use') {
      const key = formatKey(agentId, block.id);
      if (calls.has(key)) continue;
      const { command, run_in_background } = block.input;
      const isShell = block.name === 'Bash' && typeof command === 'string';
      calls.set(key, {
        ...{ id: block.id, agentId, tool: block.name, at: record.timestamp },
        ...(isShell ? { command, isBackground: run_in_background === true } : {}),
      });
    }
    // Only the harness writes results; text of a user that looks like one is not a result.
    if (record.type === 'user' && block.type === 'tool_result' && record.origin.kind === 'tool-results') {
      const call = calls.get(formatKey(agentId, block.tool_use_id));
      if (!call || call.result) continue;
      call.result = { isError: block.is_error === true, text: textOf(block.content) };
      call.receipt = record.receipt;
    }
  }
}

function readChange(record: FileHistoryRecord): SeenChange {
  const { path, toolUseId, timestamp, before, after, cause, isShared, agentId = null } = record;
  return { path: normalize(path), agentId, toolUseId, at: timestamp, before, after, cause, isShared };
}

/** A change is recorded before it is made. The edit that failed, or whose end is not known, changed nothing that counts. */
function withoutFailed(changes: readonly SeenChange[], calls: ReadonlyMap<string, SeenCall>): SeenChange[] {
  return changes.filter(({ cause, agentId, toolUseId }) => {
    if (cause !== undefined) return true;
    const call = calls.get(formatKey(agentId, toolUseId));
    return call?.result?.isError === false;
  });
}

function byTime(one: SeenChange, other: SeenChange): number {
  return one.at < other.at ? -1 : one.at > other.at ? 1 : 0;
}

function formatKey(agentId: string | null, id: string): string {
  return `${agentId ?? ''}\n${id}`;
}

/** A path of a claim, as the records have it. */
export function locate(evidence: Evidence, agentId: string | null, path: string): string {
  const cwd = evidence.directories.get(agentId) ?? evidence.directories.get(null) ?? '/';
  return isAbsolute(path) ? normalize(path) : resolve(cwd, path);
}
