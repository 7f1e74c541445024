import {
  type AgentEvent,
  addUsage,
  type Message,
  type ModelFailure,
  type ModelFailureKind,
  noUsage,
  textOf,
  type Usage,
} from '../../protocol/index.ts';
import { type AgentContext, markEvent } from '../agent-context.ts';
import { askQuietly, type ModelAnswer } from '../ask-model.ts';
import { answerReserve, fixedTokens, margin, measureWindow, nextRequestTokens } from '../context-room.ts';
import { countTextTokens } from '../tokens.ts';
import instruction from './compact.md' with { type: 'text' };
import { renderExcerpts } from './excerpts.ts';
import type { CompactPlan } from './plan.ts';

export type Summary = { usage: Usage } & ({ ok: true; text: string } | { ok: false; failure: ModelFailure });

interface Attempt {
  messages: readonly Message[];
  /** An estimate of the request's size. */
  tokens: number;
  maxOutputTokens: number;
}

/**
 * Asks the model for a summary. First with the conversation as it is, which the provider has in its cache; if that does
 * not fit or gives no summary, with excerpts of it; after two failures the excerpts themselves are used. Fails only
 * where any other request would fail too, and then nothing is lost yet.
 */
export async function* summarise(
  agent: AgentContext,
  plan: CompactPlan,
  length: number,
  instructions: string | undefined,
): AsyncGenerator<AgentEvent, Summary> {
  if (plan.before.length === 0) return { ok: true, text: '', usage: noUsage };
  const wanted = formatInstruction(length, instructions);
  const whole = wholeConversation(agent, wanted);
  const excerpts = (share: number) => () => buildExcerpts(agent, plan, wanted, share);
  const fits = whole.maxOutputTokens >= Math.min(answerReserve(agent) / 2, length);
  const attempts = fits ? [() => whole, excerpts(1)] : [excerpts(1), excerpts(0.5)];
  let usage = noUsage;
  for (const attempt of attempts) {
    const { tokens, ...request } = attempt();
    const answer = yield* askQuietly(agent, request);
    usage = addUsage(usage, answer.ok ? addUsage(answer.message.usage, answer.lost) : answer.usage);
    if (!answer.ok && isHopeless(answer.failure)) return { ok: false, failure: answer.failure, usage };
    if (!answer.ok && answer.failure.kind === 'context_overflow')
      agent.conversation.noteOverflow(agent.model.id, tokens);
    const text = readSummary(answer);
    if (text !== '') return { ok: true, text, usage };
  }
  yield markEvent(agent, { type: 'notice_given', level: 'warning', text: noSummary(agent) });
  return { ok: true, text: `${withoutModel}\n\n${renderExcerpts(plan.before, length - 40)}`, usage };
}

const withoutModel = 'No summary could be written, so here are excerpts of the messages.';

/** The same beginning as every other request, so that it is read from the provider's cache. */
function wholeConversation(agent: AgentContext, wanted: string): Attempt {
  const { messages } = agent.conversation;
  const last = messages.at(-1);
  const block = { type: 'text' as const, text: wanted };
  const asked: Message[] =
    last?.role === 'user'
      ? [...messages.slice(0, -1), { role: 'user', content: [...last.content, block] }]
      : [...messages, { role: 'user', content: [block] }];
  const tokens = nextRequestTokens(agent) + countTextTokens(wanted);
  const window = measureWindow(agent);
  // A conversation is compacted once it reaches the margin, so half of that is available here.
  const left = Math.floor(window - margin(window) / 2 - tokens);
  return { messages: asked, tokens, maxOutputTokens: Math.min(answerReserve(agent), left) };
}

function buildExcerpts(agent: AgentContext, plan: CompactPlan, wanted: string, share: number): Attempt {
  const window = measureWindow(agent);
  const fixed = fixedTokens(agent) + countTextTokens(wanted);
  const room = Math.max(500, window - fixed - answerReserve(agent) - margin(window));
  const excerpts = renderExcerpts(plan.before, Math.floor(room * share));
  const text = `The conversation so far, shortened because it is too long:\n\n${excerpts}\n\n${wanted}`;
  return {
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    tokens: fixedTokens(agent) + countTextTokens(text),
    maxOutputTokens: answerReserve(agent),
  };
}

/** Empty if there is none. A call is not a summary, and is not run. */
function readSummary(answer: ModelAnswer): string {
  if (!answer.ok || answer.message.stop_reason === 'refusal') return '';
  return textOf(answer.message.content).trim();
}

/** These failures are not about the conversation: compacting it in another way would not help the next request. */
const hopeless: readonly ModelFailureKind[] = [
  'authentication',
  'billing',
  'rate_limited',
  'overloaded',
  'model_not_found',
  'network',
  'out_of_budget',
  'aborted',
];

function isHopeless({ kind }: ModelFailure): boolean {
  return hopeless.includes(kind);
}

/** English needs about four tokens for three words; headings and paths need more. */
const wordsPerToken = 0.6;

function formatInstruction(length: number, instructions: string | undefined): string {
  const words = Math.max(60, Math.floor((length * wordsPerToken) / 10) * 10);
  const text = instruction.trim().replace('{words}', String(words));
  return instructions?.trim()
    ? `${text}\n\nThe user's instructions for this summary: ${instructions.trim()}`
    : text;
}

function noSummary({ model }: AgentContext): string {
  return `${model.id} could not summarise the conversation, so it continues with excerpts. The transcript still has everything.`;
}
