import { visibleLine } from '../lib/text.ts';
import type { ElicitAnswer } from '../mcp/connect.ts';
import type { ChangedTool } from '../mcp/server-entry.ts';
import type { Answer, Decision, Elicitation, Question } from '../protocol/index.ts';

/** The question whether tools that are not as they were approved may be used. All that changed is in it. */
export function changeQuestion(from: Asking, server: string, changed: readonly ChangedTool[]): Question {
  const names = changed.map(({ name }) => visibleLine(name, 60));
  const what = names.length === 1 ? `the tool ${names[0]}` : `${names.length} tools`;
  return {
    ...base(from, server, `the MCP server ${server} offers ${what} otherwise than you approved`),
    input: {
      server,
      changed: changed.map(({ name, before, after }) => ({
        tool: name,
        before: before && shown(before),
        after: shown(after),
      })),
    },
    summary: visibleLine(`Use ${what} of the MCP server ${server} as offered now? ${names.join(', ')}`, 300),
  };
}

function shown({ description, inputSchema, readOnly }: ChangedTool['after']) {
  return { description, inputSchema, readOnly };
}

export function elicitQuestion(from: Asking, elicitation: Elicitation): Question {
  const { server, message, url } = elicitation;
  return {
    ...base(from, server, `the MCP server ${server} asks the user for something`),
    input: { message, ...(url === undefined ? {} : { url }) },
    summary: visibleLine(`${server} asks: ${message}`, 300),
    elicitation,
  };
}

/** What a question of the session itself has, whatever it is about. */
export type Asking = Pick<Question, 'id' | 'sessionId' | 'cwd' | 'askedAt'>;

/** As long as a question of a background agent waits. */
const patienceMs = 10 * 60_000;

function base(from: Asking, server: string, reason: string) {
  const decision: Decision = { behaviour: 'ask', by: 'default', reason };
  return {
    ...from,
    agentId: null,
    asker: { type: `MCP server ${server}`, background: true },
    toolUseId: `mcp-${from.id}`,
    toolName: `mcp__${server}`,
    decision,
    risk: { level: 'medium' as const, reasons: [] },
    suggestions: [],
    expiresAt: from.askedAt + patienceMs,
  };
}

/** Only plain values: that is all that a server may ask for. */
export function elicitAnswer(answer: Answer): ElicitAnswer {
  if (answer.behaviour === 'deny') return { action: answer.interrupt ? 'cancel' : 'decline' };
  const content = Object.entries(answer.input ?? {}).filter(
    (entry): entry is [string, string | number | boolean | string[]] => isPlain(entry[1]),
  );
  return { action: 'accept', content: Object.fromEntries(content) };
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string');
  return ['string', 'number', 'boolean'].includes(typeof value);
}
