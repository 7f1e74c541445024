import { z } from 'zod';
import { ok, type Problem, type Result, usage } from '../lib/result.ts';
import type { PromptBlock } from '../protocol/index.ts';
import { readContent, readPasted } from './prompt-content.ts';

/**
 * What a host may write, one JSON object per line. Unknown fields are accepted; unknown kinds of message are reported.
 */
/** Set on what the program writes about its agents: a host that sends them back means something else by it. */
const foreignFields = [
  'parent_tool_use_id',
  'tool_use_result',
  'agent_id',
  'subagent_type',
  'task_description',
] as const;

const userMessage = z.looseObject({
  type: z.literal('user'),
  message: z.object({ role: z.literal('user'), content: z.union([z.string(), z.array(z.unknown())]) }),
  uuid: z.string().optional(),
  priority: z.enum(['now', 'next', 'later']).optional(),
  client_composed: z.boolean().nullish(),
  shouldQuery: z.boolean().nullish(),
  pasted_content: z.array(z.unknown()).nullish(),
});

const controlRequest = z.object({
  type: z.literal('control_request'),
  request_id: z.string(),
  request: z.looseObject({ subtype: z.string() }),
});

const controlResponse = z.object({
  type: z.literal('control_response'),
  response: z.discriminatedUnion('subtype', [
    z.object({ subtype: z.literal('success'), request_id: z.string(), response: z.unknown().optional() }),
    z.object({ subtype: z.literal('error'), request_id: z.string(), error: z.string() }),
  ]),
});

const hostMessage = z.discriminatedUnion('type', [
  userMessage,
  controlRequest,
  controlResponse,
  z.object({ type: z.literal('control_cancel_request'), request_id: z.string() }),
  z.object({ type: z.literal('keep_alive') }),
]);

/** A prompt that cannot be taken. It costs itself: the host may send others. */
export interface RefusedPrompt {
  type: 'refused';
  problem: Problem;
}

/** A prompt, read. */
export interface HostPrompt {
  type: 'user';
  content: PromptBlock[];
  uuid?: string | undefined;
  priority?: 'now' | 'next' | 'later' | undefined;
  isVerbatim: boolean;
  isQuiet: boolean;
}

export type HostMessage =
  | Exclude<z.output<typeof hostMessage>, { type: 'user' }>
  | HostPrompt
  | RefusedPrompt;
export type ControlRequest = z.output<typeof controlRequest>;
export type ControlResponse = z.output<typeof controlResponse>;

export function parseHostMessage(text: string, line: number): Result<HostMessage> {
  const json = parseJson(text);
  if (!json.ok) return usage(`stdin, line ${line}: not valid JSON (${json.problem}).`, expected);
  const parsed = hostMessage.safeParse(json.value);
  if (parsed.success) return ok(parsed.data.type === 'user' ? readPrompt(parsed.data, line) : parsed.data);
  const issue = parsed.error.issues[0];
  const field = issue && issue.path.length > 0 ? `field ${issue.path.map(String).join('.')}` : 'the object';
  return usage(`stdin, line ${line}: ${field}: ${issue?.message ?? 'invalid value'}.`, expected);
}

function readPrompt(given: z.output<typeof userMessage>, line: number): HostPrompt | RefusedPrompt {
  const foreign = foreignFields.find((name) => (given[name] ?? undefined) !== undefined);
  if (foreign)
    return refuse(line, foreign, 'messages from or to an agent are not supported', 'Leave it out.');
  const content = readContent(given.message.content);
  if (!content.ok) return refuse(line, 'message.content', content.problem, expectedContent);
  const pasted = readPasted(given.pasted_content ?? []);
  if (!pasted.ok) return refuse(line, 'pasted_content', pasted.problem, expectedContent);
  return {
    type: 'user',
    content: [...content.value, ...pasted.value],
    uuid: given.uuid,
    priority: given.priority,
    isVerbatim: given.client_composed === true,
    isQuiet: given.shouldQuery === false,
  };
}

function refuse(line: number, field: string, what: string, hint: string): RefusedPrompt {
  const message = `stdin, line ${line}: ${field}: ${what}. This prompt was ignored.`;
  return { type: 'refused', problem: { kind: 'usage', message, hint } };
}

const expectedContent =
  'Expected text, or a list of text blocks, images (base64, url) and documents (PDF as base64 or url, text, content).';

const expected =
  'Each line must be one JSON object, such as ' +
  '{"type":"user","message":{"role":"user","content":"…"}}. For plain text, leave out --input-format.';

function parseJson(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text));
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}
