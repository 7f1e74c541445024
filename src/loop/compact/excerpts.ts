import { escapeHarnessTags } from '../../lib/text/harness-tags.ts';
import { boundText } from '../../lib/text/text.ts';
import { type ContentBlock, type MessageRecord, textOf } from '../../protocol/index.ts';
import { bytesPerToken, countTextTokens } from '../tokens.ts';

/** How much of one block is shown, from generous to minimal. */
const blockLimits = [8_000, 4_000, 2_000, 1_000, 500, 250, 100];

/**
 * A conversation as plain text that is sure to fit: long blocks lose their middle; if that is not enough, messages
 * after the first are left out, oldest first. Used when the conversation itself is too long for a request, and when no
 * model would summarise it.
 */
export function renderExcerpts(records: readonly MessageRecord[], maxTokens: number): string {
  for (const limit of blockLimits) {
    const lines = records.map((record) => renderRecord(record, limit));
    if (countTokens(lines) <= maxTokens) return finish(lines, maxTokens);
  }
  const [first = '', ...rest] = records.map((record) => renderRecord(record, blockLimits.at(-1) ?? 0));
  const kept = newestThatFit(rest, maxTokens - countTextTokens(first) - 20);
  const left = rest.length - kept.length;
  return finish([first, `[… ${left} messages omitted …]`, ...kept], maxTokens);
}

/** Shortens text to an estimated number of tokens, whatever script it is in. */
export function boundTokens(text: string, maxTokens: number): string {
  const bytes = Buffer.byteLength(text);
  const most = Math.max(0, maxTokens) * bytesPerToken;
  return bytes <= most ? text : boundText(text, Math.floor((most * text.length) / bytes));
}

function finish(lines: readonly string[], maxTokens: number): string {
  return boundTokens(escapeHarnessTags(lines.filter((line) => line !== '').join('\n')), maxTokens);
}

function newestThatFit(lines: readonly string[], maxTokens: number): string[] {
  let start = lines.length;
  for (let left = maxTokens; start > 0; start--) {
    left -= countTextTokens(lines[start - 1] ?? '') + 1;
    if (left < 0) break;
  }
  return lines.slice(start);
}

function countTokens(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + countTextTokens(line) + 1, 0);
}

function renderRecord(record: MessageRecord, limit: number): string {
  const speaker = record.type === 'assistant' ? 'Assistant' : nameSpeaker(record.origin.kind);
  // An earlier summary is worth more than any single message.
  const most = record.type === 'user' && record.origin.kind === 'compaction' ? limit * 4 : limit;
  return (record.message.content as readonly ContentBlock[])
    .map((block) => renderBlock(block, speaker, most))
    .filter((line) => line !== '')
    .join('\n');
}

function nameSpeaker(kind: string): string {
  if (kind === 'human') return 'User';
  return kind === 'compaction' ? 'Summary of earlier messages' : 'Harness';
}

function renderBlock(block: ContentBlock, speaker: string, limit: number): string {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? '' : `${speaker}: ${boundText(block.text.trim(), limit)}`;
    case 'image':
      return `${speaker}: [an image]`;
    case 'document':
      return `${speaker}: [a document]`;
    case 'tool_use':
      return `${speaker} called ${block.name} ${boundText(JSON.stringify(block.input), limit)}`;
    case 'tool_result':
      return `${block.is_error ? 'Error' : 'Result'}: ${boundText(textOf(block.content), limit)}`;
    default:
      return '';
  }
}
