import type { Claim, CommandReceipt, ReportRecord } from '../../src/protocol/index.ts';
import { collectEvidence, type EvidenceRecord } from '../../src/receipts/evidence.ts';
import { resolveClaims } from '../../src/receipts/resolve-claims.ts';

let second = 0;
export const now = () => new Date(Date.UTC(2026, 0, 1, 0, 0, second++)).toISOString();
const base = () => ({ uuid: 'u', parentUuid: null, sessionId: 's', timestamp: now(), isSidechain: false });
const usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

export function asked(id: string, name: string, input: Record<string, unknown>): EvidenceRecord {
  const content = [{ type: 'tool_use' as const, id, name, input }];
  const message = {
    role: 'assistant' as const,
    id: 'm',
    model: 'm',
    content,
    stop_reason: 'tool_use' as const,
    usage,
  };
  return { type: 'assistant', message, ...base() };
}

export function answered(
  id: string,
  text: string,
  more: { isError?: true; receipt?: CommandReceipt } = {},
): EvidenceRecord {
  const result = {
    type: 'tool_result' as const,
    tool_use_id: id,
    content: [{ type: 'text' as const, text }],
  };
  return {
    type: 'user',
    message: { role: 'user', content: [{ ...result, ...(more.isError ? { is_error: true } : {}) }] },
    origin: { kind: 'tool-results' },
    ...(more.receipt ? { receipt: more.receipt } : {}),
    ...base(),
  };
}

export function command(
  id: string,
  line: string,
  exitCode: number,
  text = '',
  cwd: string | null = '/work',
  input: Record<string, unknown> = {},
): EvidenceRecord[] {
  const receipt = {
    ...{ exitCode, output: 'a'.repeat(64), outputBytes: text.length },
    ...(cwd === null ? {} : { cwd }),
  };
  const begun = asked(id, 'Bash', { command: line, ...input });
  const ended = { ...receipt, endedAt: now() };
  return [
    begun,
    answered(id, text, { receipt: ended, ...(exitCode === 0 ? {} : { isError: true as const }) }),
  ];
}

export function changed(
  path: string,
  before: string | null,
  after: string | null,
  toolUseId: string,
): EvidenceRecord {
  return { type: 'file-history', timestamp: now(), toolUseId, path, before, after };
}

export const npmTest = { tests: [{ command: 'npm test', cwd: '/work' }] };

export function judge(records: EvidenceRecord[], claim: Claim, checks: ReportRecord['checks'] = npmTest) {
  const evidence = collectEvidence([{ agentId: null, cwd: '/work', records }]);
  return resolveClaims([claim], { evidence, agentId: null, checks, look: { changed: [] } })[0];
}
