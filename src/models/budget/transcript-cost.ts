import { basename } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import type { CostReport, CostRow } from '../../protocol/cost.ts';
import { type AssistantRecord, totalTokens } from '../../protocol/index.ts';
import { readRecords } from '../../store/transcript.ts';
import { computeCost, lookUpPrice, type PriceOverrides } from '../prices.ts';
import { addRow, totalled } from './report.ts';

/** The cost of a session without a ledger, from its transcripts: the stored answers and their usage. */
export async function reportFromTranscripts(
  lead: string,
  agents: readonly string[],
  overrides: PriceOverrides = {},
): Promise<Result<CostReport>> {
  const rows = new Map<string, CostRow>();
  for (const path of [lead, ...agents]) {
    const agentId = path === lead ? null : basename(path, '.jsonl').replace(/^agent-/, '');
    let asked = '';
    const read = await readRecords(path, (record) => {
      if (record.type === 'session-state' || record.type === 'agent-state') asked = record.model;
      if (record.type === 'assistant' && totalTokens(record.message.usage) > 0)
        addRow(rows, buildRow(record, agentId, asked, overrides));
    });
    if (!read.ok) return read;
  }
  return ok(totalled([...rows.values()]));
}

function buildRow(
  { message }: AssistantRecord,
  agentId: string | null,
  asked: string,
  overrides: PriceOverrides,
): CostRow {
  const model = withProvider(message.model, asked);
  const price = lookUpPrice(model, overrides);
  const microUsd = price ? computeCost(message.usage, price) : null;
  return { agentId, model, usage: message.usage, microUsd, requests: 1, estimated: 0 };
}

/** An answer names its model as its provider does; the provider is that of the requested model. */
function withProvider(answered: string, asked: string): string {
  const slash = asked.indexOf('/');
  if (slash === -1) return `${guessProvider(answered)}${answered}`;
  const provider = asked.slice(0, slash + 1);
  return answered.startsWith(provider) ? answered : `${provider}${answered}`;
}

function guessProvider(id: string): string {
  if (id.startsWith('claude-')) return 'anthropic/';
  if (id.startsWith('gemini-')) return 'google/';
  return /^(gpt-|o\d)/.test(id) ? 'openai/' : '';
}
