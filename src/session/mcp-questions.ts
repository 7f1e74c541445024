import { visibleLine } from '../lib/text.ts';
import type { ElicitAnswer } from '../mcp/connect.ts';
import type { ChangedTool } from '../mcp/server-entry.ts';
import type { Answer, Decision, Elicitation, Question } from '../protocol/index.ts';

/** The question whether tools that are not as they were approved may be used. All that changed is in it. */
export function changeQuestion(id: string, server: string, changed: readonly ChangedTool[]): Question {
  const names = changed.map(({ name }) => visibleLine(name, 60));
  const what = names.length === 1 ? `the tool ${names[0]}` : `${names.length} tools`;
  return {
    ...base(id, server, `the MCP server ${server} offers ${what} otherwise than you approved`),
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

export function elicitQuestion(id: string, elicitation: Elicitation): Question {
  const { server, message, url } = elicitation;
  return {
    ...base(id, server, `the MCP server ${server} asks the user for something`),
    input: { message, ...(url === undefined ? {} : { url }) },
    summary: visibleLine(`${server} asks: ${message}`, 300),
    elicitation,
  };
}

function base(id: string, server: string, reason: string) {
  const decision: Decision = { behaviour: 'ask', by: 'default', reason };
  return { id, agentId: null, toolUseId: `mcp-${id}`, toolName: `mcp__${server}`, decision, suggestions: [] };
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
