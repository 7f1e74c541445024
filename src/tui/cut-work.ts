import { basename, dirname } from 'node:path';
import { readBoundedText } from '../lib/files/read-bounded.ts';
import { fileLedger, ledgerPath } from '../models/budget/file-ledger.ts';
import type { Ledger } from '../models/budget/ledger.ts';
import { toolUses, totalTokens } from '../protocol/index.ts';
import { checkRecord } from '../store/check-record.ts';
import { createSessionLayout, type SessionLayout } from '../store/layout.ts';
import type { CutWork } from '../view/index.ts';

/** Finds out how far an agent of this session had come when a kill cut it off. The ledger is read for the first one. */
export function openCutWork(transcript: string): (agentId: string) => CutWork | undefined {
  let ledger: Ledger | undefined;
  return (agentId) => {
    const layout = createSessionLayout(dirname(transcript), basename(transcript, '.jsonl'));
    ledger ??= readLedger(layout);
    const work = readWork(layout.agentTranscript(agentId), agentId);
    return work && { ...work, tokens: sumTokens(ledger, agentId) };
  };
}

function readLedger({ directory }: SessionLayout): Ledger {
  const ledger = fileLedger(ledgerPath(directory));
  ledger.refresh();
  ledger.close();
  return ledger;
}

/** As `Account.ownTokens`: rows add up to the session's total. */
function sumTokens({ books }: Ledger, agentId: string): number {
  let tokens = 0;
  for (const { path, usage } of books.spendings) if (path.at(-1) === agentId) tokens += totalTokens(usage);
  return tokens;
}

/** Results are most of a transcript and are skipped unread. */
function readWork(path: string, agentId: string): Omit<CutWork, 'tokens'> | undefined {
  const lines = readLines(path);
  let calls = 0;
  for (const line of lines) {
    const record = line.startsWith('{"type":"assistant"') ? readRecord(line) : undefined;
    if (record?.type === 'assistant' && record.agentId === agentId) calls += toolUses(record.message).length;
  }
  const last = readRecord(lines.at(-1) ?? '');
  if (!last || !('timestamp' in last)) return undefined;
  return { toolUses: calls, endedAt: Date.parse(last.timestamp) };
}

const maxTranscriptBytes = 256 * 1024 * 1024;

function readLines(path: string): string[] {
  try {
    // After the last newline there is nothing, or half a line left by a kill.
    const text = readBoundedText(path, maxTranscriptBytes) ?? '';
    return text.split('\n').slice(0, -1);
  } catch {
    return [];
  }
}

function readRecord(line: string) {
  try {
    const checked = checkRecord(JSON.parse(line));
    return checked.kind === 'good' ? checked.record : undefined;
  } catch {
    return undefined;
  }
}
