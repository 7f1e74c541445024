import { type AssistantMessage, noUsage, type StopReason, type Usage } from '../../protocol/index.ts';
import { IncompleteAnswer } from '../failures.ts';
import type { SearchResult } from '../search.ts';

export interface FoundPages {
  results: SearchResult[];
  /** Why the provider did not search, if it says so. */
  refused?: string;
}

const maxResults = 50;

/** The answer as a text message; the pages go into `found`. Throws errors that `describeFailure` understands. */
export function readSearchAnswer(text: string, model: string, found: FoundPages): AssistantMessage {
  const answer = readFields(parse(text));
  if (!Array.isArray(answer.content)) throw new IncompleteAnswer('The answer to a search has no content.');
  const blocks = answer.content.map(readFields);
  for (const block of blocks) if (block.type === 'web_search_tool_result') collect(block.content, found);
  const said = blocks.flatMap((block) =>
    block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  );
  return {
    role: 'assistant',
    id: typeof answer.id === 'string' ? answer.id : '',
    model: typeof answer.model === 'string' ? answer.model : model,
    content: [{ type: 'text', text: said.join('') }],
    stop_reason: readStopReason(answer.stop_reason),
    usage: readUsage(readFields(answer.usage)),
  };
}

/** A list of pages, or one object that says what went wrong. */
function collect(content: unknown, found: FoundPages): void {
  if (!Array.isArray(content)) {
    const code = readFields(content).error_code;
    found.refused ??= `The provider did not search: ${typeof code === 'string' ? code : 'no reason given'}.`;
    return;
  }
  for (const { url, title, page_age: age } of content.map(readFields)) {
    if (typeof url !== 'string' || !/^https?:\/\//.test(url)) continue;
    if (found.results.length >= maxResults || found.results.some((known) => known.url === url)) continue;
    found.results.push({
      url,
      title: typeof title === 'string' ? title : url,
      age: typeof age === 'string' ? age : undefined,
    });
  }
}

function readStopReason(reason: unknown): StopReason {
  const known: readonly StopReason[] = ['end_turn', 'max_tokens', 'stop_sequence', 'refusal'];
  return known.find((one) => one === reason) ?? 'unknown';
}

function readUsage(usage: Record<string, unknown>): Usage {
  const count = (name: keyof Usage) => {
    const tokens = usage[name];
    return typeof tokens === 'number' && tokens >= 0 ? tokens : noUsage[name];
  };
  return {
    input_tokens: count('input_tokens'),
    output_tokens: count('output_tokens'),
    cache_read_input_tokens: count('cache_read_input_tokens'),
    cache_creation_input_tokens: count('cache_creation_input_tokens'),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new IncompleteAnswer('The answer to a search is not JSON.');
  }
}

function readFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
