import type { MessageRecord, UserBlock, UserRecord } from '../../protocol/index.ts';
import { storeLargeResult } from '../../store/outputs.ts';
import type { AgentContext } from '../agent-context.ts';
import { estimateTokens } from '../tokens.ts';
import type { CompactBudget } from './budget.ts';
import { renderExcerpts } from './excerpts.ts';

/** How a compaction treats each message of a conversation. */
export interface CompactPlan {
  /** To be summarised. */
  before: readonly MessageRecord[];
  /** The latest prompt, when it is among those to be summarised: it still stays word for word. */
  prompt?: UserRecord;
  /** Stay after the summary; shortened if necessary. */
  kept: readonly MessageRecord[];
  /** Not answered yet, but too large to be shortened: excerpts of them go with the summary. */
  told: readonly MessageRecord[];
}

/** Limit for messages that stay only because they are recent. */
const maxRecent = 20;

/** Undefined when there is nothing to be gained. */
export function planCompaction(agent: AgentContext, budget: CompactBudget): CompactPlan | undefined {
  const { records } = agent.conversation;
  const open = findUnansweredStart(records);
  const unanswered = records.slice(open);
  const isLarge = countTokens(unanswered) > budget.unanswered;
  const start = isLarge ? open : findRecentStart(records, open, budget.recent);
  const before = records.slice(0, start);
  if (!isLarge && before.every(isSummary)) return undefined;
  const kept = isLarge ? shorten(agent, unanswered, budget.unanswered) : records.slice(start);
  const prompt = findPrompt(kept ?? unanswered, before);
  return {
    before,
    prompt: prompt ? shortenPrompt(agent, withoutResults(prompt), budget.prompt) : undefined,
    kept: kept ?? [],
    told: kept ? [] : unanswered,
  };
}

/** The prompt that the last messages belong to. If none of them stay, it was already answered. */
function findPrompt(
  last: readonly MessageRecord[],
  before: readonly MessageRecord[],
): UserRecord | undefined {
  return last.length === 0 || last.some(isPrompt) ? undefined : before.findLast(isPrompt);
}

/** A fork's task came together with results for calls of its parent, which are gone. */
function withoutResults(prompt: UserRecord): UserRecord {
  const content = prompt.message.content.filter((block) => block.type !== 'tool_result');
  return { ...prompt, message: { role: 'user', content } };
}

function shortenPrompt(agent: AgentContext, prompt: UserRecord, maxTokens: number): UserRecord {
  const [shortened] = shorten(agent, [prompt], maxTokens) ?? [];
  if (shortened) return shortened;
  const text = renderExcerpts([prompt], maxTokens);
  return { ...prompt, message: { role: 'user', content: [{ type: 'text', text }] } };
}

/** A request, as opposed to reports of tools and the harness. */
export function isPrompt(record: MessageRecord): record is UserRecord {
  if (record.type !== 'user') return false;
  if (record.origin.kind === 'delegation') return true;
  if (record.message.content.some((block) => block.type === 'tool_result')) return false;
  return !['compaction', 'task-notification', 'task-event'].includes(record.origin.kind);
}

export function isSummary(record: MessageRecord): boolean {
  return record.type === 'user' && record.origin.kind === 'compaction';
}

/** The last answer with its calls, their results and everything since; the end when the last message is an answer. */
function findUnansweredStart(records: readonly MessageRecord[]): number {
  const answer = records.findLastIndex((record) => record.type === 'assistant');
  if (answer === records.length - 1) return records.length;
  if (answer >= 0) return answer;
  return records.findLastIndex(isSummary) + 1;
}

/** Goes back from the unanswered messages for as long as whole exchanges fit. A result never stays without its call. */
function findRecentStart(records: readonly MessageRecord[], open: number, maxTokens: number): number {
  let start = open;
  let tokens = countTokens(records.slice(open));
  for (let at = open - 1; at >= 0 && records.length - at <= maxRecent; at--) {
    const record = records[at];
    if (!record || isSummary(record)) break;
    tokens += estimateTokens(record.message.content);
    if (tokens > maxTokens) break;
    if (canBegin(record)) start = at;
  }
  return start;
}

function canBegin(record: MessageRecord): boolean {
  return record.type === 'assistant' || record.message.content.every((block) => block.type !== 'tool_result');
}

/** Moves long texts to files until the rest fits; undefined if it still does not fit. */
function shorten<Kind extends MessageRecord>(
  agent: AgentContext,
  records: readonly Kind[],
  maxTokens: number,
): Kind[] | undefined {
  for (let limit = maxTokens * 2; limit >= 200; limit = Math.floor(limit / 2)) {
    const shown = records.map((record) => cut(record, (text) => text.slice(0, limit)));
    // The note about where the rest is takes space too.
    if (countTokens(shown) + records.length * 60 > maxTokens) continue;
    return records.map((record) => cut(record, (text, name) => store(agent, text, name, limit)));
  }
  return countTokens(records) <= maxTokens ? [...records] : undefined;
}

function store(agent: AgentContext, text: string, name: string, limit: number): string {
  return storeLargeResult(agent.hands.outputs, `${name}-whole`, text, limit).text;
}

type Cut = (text: string, name: string) => string;

/** Only text from outside is cut: the model's own text and calls stay as they were. */
function cut<Kind extends MessageRecord>(record: Kind, shortened: Cut): Kind {
  if (record.type === 'assistant') return record;
  const content = record.message.content.map((block, index) =>
    cutBlock(block, `${record.uuid}-${index}`, shortened),
  );
  return { ...record, message: { role: 'user', content } };
}

function cutBlock(block: UserBlock, name: string, shortened: Cut): UserBlock {
  if (block.type === 'text') return { ...block, text: shortened(block.text, name) };
  if (block.type !== 'tool_result') return block;
  const content = block.content.map((part, index) =>
    part.type === 'text' ? { ...part, text: shortened(part.text, `${name}-${index}`) } : part,
  );
  return { ...block, content };
}

function countTokens(records: readonly MessageRecord[]): number {
  return records.reduce((sum, record) => sum + estimateTokens(record.message.content), 0);
}
