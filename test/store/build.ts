import type { AssistantBlock, ToolUseBlock, UserBlock } from '../../src/protocol/message.ts';
import { noUsage } from '../../src/protocol/message.ts';
import type {
  AssistantRecord,
  CompactBoundaryRecord,
  HeaderRecord,
  MessageRecord,
  UserRecord,
} from '../../src/protocol/record.ts';
import { createTranscript, type LoadedTranscript, loadTranscript } from '../../src/store/transcript.ts';

export const sessionId = '11111111-2222-4333-8444-555555555555';

export function headerFor(cwd = '/project', id = sessionId): HeaderRecord {
  const createdAt = '2026-01-01T00:00:00.000Z';
  return { type: 'cadre-transcript', format: 1, sessionId: id, cwd, version: '0.1.0', createdAt };
}

const base = (uuid: string, parentUuid: string | null) => ({
  uuid,
  parentUuid,
  sessionId,
  timestamp: '2026-01-01T00:00:00.000Z',
  isSidechain: false,
});

export function user(uuid: string, parent: string | null, content: string | UserBlock[]): UserRecord {
  const isPrompt = typeof content === 'string';
  return {
    type: 'user',
    ...base(uuid, parent),
    message: { role: 'user', content: isPrompt ? [{ type: 'text', text: content }] : content },
    origin: { kind: isPrompt ? 'human' : 'tool-results' },
  };
}

export function assistant(
  uuid: string,
  parent: string | null,
  content: string | AssistantBlock[],
): AssistantRecord {
  const blocks: AssistantBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const stop_reason = blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
  return {
    type: 'assistant',
    ...base(uuid, parent),
    message: {
      role: 'assistant',
      id: `msg_${uuid}`,
      model: 'm',
      content: blocks,
      stop_reason,
      usage: noUsage,
    },
  };
}

export const call = (id: string): ToolUseBlock => ({
  type: 'tool_use',
  id,
  name: 'Bash',
  input: { command: 'ls' },
});

export const result = (id: string, text = 'done'): UserBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content: [{ type: 'text', text }],
});

/** A compaction of what is before it: the summary and copies of what stays are yet to follow. */
export function boundary(parent: string, summaryUuid: string, keptUuids: string[]): CompactBoundaryRecord {
  return {
    type: 'compact-boundary',
    timestamp: '2026-01-01T00:00:00.000Z',
    sessionId,
    trigger: 'auto',
    preTokens: 9_000,
    postTokens: 1_000,
    logicalParentUuid: parent,
    summaryUuid,
    keptUuids,
    model: 'm',
    usage: noUsage,
  };
}

export function summary(uuid: string): UserRecord {
  const carried = { todos: [], files: [{ path: '/project/a', changed: true }], prompts: ['before'] };
  return { ...user(uuid, null, 'All in short.'), origin: { kind: 'compaction', carried } };
}

/** A short conversation with two parallel calls. */
export const conversation: MessageRecord[] = [
  user('u1', null, 'mend the tests ü😀'),
  assistant('a1', 'u1', [{ type: 'text', text: 'Looking.' }, call('c1'), call('c2')]),
  user('u2', 'a1', [result('c1'), result('c2')]),
  assistant('a2', 'u2', 'Mended.'),
  user('u3', 'a2', 'thanks'),
];

export function save(path: string, records: readonly MessageRecord[], header = headerFor()): void {
  const transcript = mustHave(createTranscript(path, header));
  for (const record of records) mustHave(transcript.append(record));
  transcript.close();
}

export async function load(path: string): Promise<LoadedTranscript> {
  return mustHave(await loadTranscript(path));
}

export function mustHave<T>(result: { ok: true; value: T } | { ok: false; problem: { message: string } }): T {
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

export function loadedWith(records: LoadedTranscript['records']): LoadedTranscript {
  return { path: '/t.jsonl', header: headerFor(), records: [...records], damage: [], unknown: 0 };
}
