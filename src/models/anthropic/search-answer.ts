import { parseJson } from '../../lib/fields/parse-json.ts';
import { type AssistantMessage, noUsage, type StopReason } from '../../protocol/index.ts';
import { IncompleteAnswer } from '../failures.ts';
import type { SearchResult } from '../search.ts';
import { readObject, updateUsage } from './blocks.ts';

export interface FoundPages {
  results: SearchResult[];
  /** Why the provider did not search, if it says so. */
  refused?: string;
}

const maxResults = 50;

/** The answer as a text message; the pages go into `found`. Throws errors that `describeFailure` understands. */
export function readSearchAnswer(text: string, model: string, found: FoundPages): AssistantMessage {
  const parsed = parseJson(text);
  if (parsed === undefined) throw new IncompleteAnswer('The answer to a search is not JSON.');
  const answer = readObject(parsed);
  if (!Array.isArray(answer.content)) throw new IncompleteAnswer('The answer to a search has no content.');
  const blocks = answer.content.map(readObject);
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
    usage: updateUsage(readObject(answer.usage), noUsage),
  };
}

/** A list of pages, or one object that says what went wrong. */
function collect(content: unknown, found: FoundPages): void {
  if (!Array.isArray(content)) {
    const code = readObject(content).error_code;
    found.refused ??= `The provider did not search: ${typeof code === 'string' ? code : 'no reason given'}.`;
    return;
  }
  for (const { url, title, page_age: age } of content.map(readObject)) {
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
