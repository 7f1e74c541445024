/** Makes long transcripts: many turns, as a working session writes them. */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { hashBytes } from '../src/lib/hash.ts';
import type { TranscriptRecord } from '../src/protocol/record.ts';

const usage = {
  input_tokens: 1_000,
  output_tokens: 200,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

/** `compacted`: the conversation was compacted one megabyte before the end. */
export function writeTranscript(
  path: string,
  { sessionId, cwd, bytes, compacted }: { sessionId: string; cwd: string; bytes: number; compacted: boolean },
): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, 'wx', 0o600);
  let written = 0;
  let pending: string[] = [];
  let held = 0;
  const flush = () => {
    writeSync(file, pending.join(''));
    pending = [];
    held = 0;
  };
  const put = (record: TranscriptRecord) => {
    const line = `${JSON.stringify(record)}\n`;
    pending.push(line);
    held += line.length;
    written += Buffer.byteLength(line);
    if (held > 1 << 20) flush();
  };
  const timestamp = '2026-01-01T00:00:00.000Z';
  put({ type: 'cadre-transcript', format: 1, sessionId, cwd, version: '0.1.0', createdAt: timestamp });
  put({
    type: 'session-state',
    timestamp,
    model: 'anthropic/claude-sonnet-5-5',
    permissionMode: 'default',
    cwd,
  });
  let count = 0;
  let parentUuid: string | null = null;
  const base = () => {
    const uuid = uuidOf(++count);
    const made = { uuid, parentUuid, sessionId, timestamp, isSidechain: false };
    parentUuid = uuid;
    return made;
  };
  let isCompacted = !compacted;
  while (written < bytes) {
    if (!isCompacted && written > bytes - (1 << 20)) {
      isCompacted = true;
      const summaryUuid = uuidOf(count + 1);
      put({
        ...{ type: 'compact-boundary', timestamp, sessionId, trigger: 'auto', preTokens: 1, postTokens: 1 },
        ...{ logicalParentUuid: parentUuid, summaryUuid, keptUuids: [], model: 'm', usage },
      });
      parentUuid = null;
      const carried = { todos: [], files: [], prompts: [] };
      const content = [{ type: 'text' as const, text: 'All in short.' }];
      put({
        type: 'user',
        message: { role: 'user', content },
        origin: { kind: 'compaction', carried },
        ...base(),
      });
    }
    const id = `toolu_${count}`;
    const asked = [{ type: 'text' as const, text: `Prompt ${count}: look at the next file.` }];
    put({ type: 'user', message: { role: 'user', content: asked }, origin: { kind: 'human' }, ...base() });
    put({
      type: 'assistant',
      message: {
        ...{
          role: 'assistant',
          id: `msg_${count}`,
          model: 'claude-sonnet-5-5',
          stop_reason: 'tool_use',
          usage,
        },
        content: [
          { type: 'text', text: 'I will look at it. '.repeat(10) },
          { type: 'tool_use', id, name: 'Read', input: { file_path: `src/file${count}.ts` } },
        ],
      },
      ...base(),
    });
    const text = `${count}→export const value = { "name": "a\\b", count: ${count} };\n`.repeat(60);
    const results = [
      { type: 'tool_result' as const, tool_use_id: id, content: [{ type: 'text' as const, text }] },
    ];
    put({
      type: 'user',
      message: { role: 'user', content: results },
      origin: { kind: 'tool-results' },
      ...base(),
    });
    put({
      type: 'assistant',
      message: {
        ...{
          role: 'assistant',
          id: `msg_${count}`,
          model: 'claude-sonnet-5-5',
          stop_reason: 'end_turn',
          usage,
        },
        content: [{ type: 'text', text: 'It holds a constant. '.repeat(20) }],
      },
      ...base(),
    });
  }
  flush();
  closeSync(file);
  return count;
}

function uuidOf(count: number): string {
  const hash = hashBytes(String(count));
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
