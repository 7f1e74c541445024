import { readLabelled } from '../knowledge/label.ts';
import { noOutput, ranBlocks, typedBlocks } from '../protocol/additions.ts';
import { textOf, type UserBlock } from '../protocol/message.ts';
import type { AssistantRecord, UserRecord } from '../protocol/record.ts';
import type { AgentSummary } from './agent-summary.ts';
import { boundAnswer, buildExcerpt, cutLine, maxPrompt, maxResult } from './bound.ts';
import type { Entry, EntryBody, LiveBlock } from './entry.ts';

/** An answer's text and thinking; its calls become entries when they have ended. */
export function buildAnswerEntries(record: AssistantRecord, live: readonly LiveBlock[], at: number): Entry[] {
  const streamed = { text: live.filter(isKind('text')), thinking: live.filter(isKind('thinking')) };
  return record.message.content.flatMap((block, index): Entry[] => {
    if (block.type !== 'text' && block.type !== 'thinking') return [];
    const text = block.type === 'text' ? block.text : block.thinking;
    const liveId = streamed[block.type].shift()?.id ?? null;
    if (text.trim() === '') return [];
    return [{ id: `${record.uuid}.${index}`, at, kind: block.type, ...boundAnswer(text), liveId }];
  });
}

function isKind(kind: LiveBlock['kind']) {
  return (block: LiveBlock) => block.kind === kind;
}

/** A message to the agent; undefined for results of calls, and for a summary of an earlier conversation. */
export function buildLetterEntry(
  record: UserRecord,
  at: number,
  findAgent: (id: string) => AgentSummary | null,
): Entry | undefined {
  const body = buildBody(record, findAgent);
  return body && { id: record.uuid, at, ...body };
}

/** Commands the user ran in the shell before this prompt. Shown if they were not seen running. */
export function buildRunEntries({ message, uuid }: UserRecord, at: number): Entry[] {
  return ranBlocks(message.content).flatMap((text, index): Entry[] => {
    const run = readLabelled('cadre-shell', text);
    if (!run) return [];
    const { command = '', end = null } = run.attributes;
    const output = buildExcerpt(run.text === noOutput ? '' : run.text, maxPrompt);
    return [{ id: `${uuid}.ran${index}`, at, kind: 'ran', command, text: output, reason: end }];
  });
}

function buildBody(
  { origin, message, uuid }: UserRecord,
  findAgent: (id: string) => AgentSummary | null,
): EntryBody | undefined {
  const { content } = message;
  switch (origin.kind) {
    case 'human':
    case 'delegation':
      return {
        kind: 'prompt',
        from: origin.kind === 'human' ? 'person' : 'parent',
        text: buildExcerpt(typedText(content), maxPrompt),
        images: content.filter(({ type }) => type === 'image').length,
        uuid,
      };
    case 'mail': {
      // What a teammate is at is shown where the team is.
      if (idleMail.test(textOf(content)))
        return { kind: 'reminder', text: buildExcerpt(textOf(content), maxResult) };
      const text = buildExcerpt(mailText(textOf(content)), maxPrompt);
      if (origin.from === 'user') return { kind: 'prompt', from: 'person', text, images: 0, uuid };
      return { kind: 'mail', from: nameSender(origin.from, findAgent(origin.from)), text };
    }
    case 'task-notification':
    case 'task-event': {
      const text = textOf(content);
      const taskId = readElement(text, 'task-id');
      return {
        kind: 'notification',
        about: origin.kind === 'task-event' ? 'event' : 'end',
        taskId,
        summary: cutLine(readElement(text, 'summary')),
        agent: findAgent(taskId),
      };
    }
    case 'harness': {
      const text = textOf(content);
      return text === '' ? undefined : { kind: 'reminder', text: buildExcerpt(text, maxResult) };
    }
    case 'tool-results':
    case 'compaction':
      return undefined;
  }
}

const idleMail = /^<teammate-message [^>]* kind="idle">/;

/**
 * The sender's words, without the harness's wrapping. The harness may explain the mail after it; the text inside is escaped, so the
 * first end is the harness's own.
 */
function mailText(text: string): string {
  // The harness may explain the mail after it. The text inside is escaped, so the first end is the harness's own.
  const [, head = '', words] =
    /^<teammate-message ([^>]*)>\n([\s\S]*?)\n<\/teammate-message>(?:\n|$)/.exec(text) ?? [];
  if (words === undefined) return text;
  return head.includes('kind="plan_approval_request"') ? readPlan(words) : words;
}

/** A plan comes with the fields that its answer names. */
function readPlan(text: string): string {
  try {
    const { plan } = JSON.parse(text);
    return typeof plan === 'string' ? `my plan, to be approved:\n${plan}` : text;
  } catch {
    return text;
  }
}

function nameSender(id: string, agent: AgentSummary | null): string {
  if (id === 'main') return 'the main agent';
  return cutLine(agent ? (agent.name ?? `${agent.type} (${agent.description})`) : id);
}

/** The typed text, without the harness's additions. */
function typedText(content: readonly UserBlock[]): string {
  return typedBlocks(content)
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n');
}

/** The harness wrote the text, and quoted text in it is escaped: the first such element is its own. */
function readElement(text: string, name: string): string {
  const start = text.indexOf(`<${name}>`);
  const end = text.indexOf(`</${name}>`, start);
  if (start < 0 || end < 0) return '';
  const inner = text.slice(start + name.length + 2, end);
  return inner.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
