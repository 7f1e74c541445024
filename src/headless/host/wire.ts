import { describeValue } from '../../lib/fields/describe-value.ts';
import { isRecord } from '../../lib/fields/field-values.ts';
import { form, type OutputOf } from '../../lib/form/form.ts';
import { ok, type Problem, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { PromptBlock } from '../../protocol/index.ts';
import { parseJson } from '../../settings/json.ts';
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

const flag = () => form.boolean().nullable().optional();

const userMessage = form.looseObject({
  type: form.literal('user'),
  message: form.object({
    role: form.literal('user', '"user"'),
    content: form.union([form.string(), form.array(form.unknown())], 'text or a list of blocks'),
  }),
  uuid: form.string().optional(),
  priority: form.enum(['now', 'next', 'later']).optional(),
  client_composed: flag(),
  shouldQuery: flag(),
  pasted_content: form.array(form.unknown()).nullable().optional(),
});

const controlRequest = form.object({
  type: form.literal('control_request'),
  request_id: form.string(),
  request: form.looseObject({ subtype: form.string() }),
});

type Answer = { request_id: string } & (
  | { subtype: 'success'; response?: unknown }
  | { subtype: 'error'; error: string }
);

const controlResponse = form.object({
  type: form.literal('control_response'),
  response: form
    .object({
      subtype: form.enum(['success', 'error']),
      request_id: form.string(),
      response: form.unknown().optional(),
      error: form.string().optional(),
    })
    .check(({ subtype, error }, report) => {
      if (subtype === 'error' && error === undefined) report('expected a string, found nothing', ['error']);
    })
    .transform((given) => given as Answer),
});

const kinds = {
  user: userMessage,
  control_request: controlRequest,
  control_response: controlResponse,
  control_cancel_request: form.object({
    type: form.literal('control_cancel_request'),
    request_id: form.string(),
  }),
  keep_alive: form.object({ type: form.literal('keep_alive') }),
};

type Given = OutputOf<(typeof kinds)[keyof typeof kinds]>;
type GivenPrompt = OutputOf<typeof userMessage>;

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

export type HostMessage = Exclude<Given, { type: 'user' }> | HostPrompt | RefusedPrompt;
export type ControlRequest = OutputOf<typeof controlRequest>;
export type ControlResponse = OutputOf<typeof controlResponse>;

export function parseHostMessage(text: string, line: number): Result<HostMessage> {
  const json = parseJson(text);
  const refuse = (what: string) => usage(`stdin, line ${line}: ${what}.`, expected);
  if (!json.ok)
    return refuse(`not valid JSON at column ${json.problem.column}: expected ${json.problem.expected}`);
  const given = json.value;
  if (!isRecord(given)) return refuse(`expected an object, found ${describeValue(given)}`);
  const { type } = given;
  if (typeof type !== 'string' || !isKind(type)) {
    const found = typeof type === 'string' ? JSON.stringify(visibleLine(type, 60)) : describeValue(type);
    return refuse(`field type: expected one of ${Object.keys(kinds).join(', ')}, found ${found}`);
  }
  const parsed = kinds[type].safeParse(given);
  const issue = parsed.error?.issues[0];
  if (!parsed.success)
    return refuse(
      `field ${issue?.path.map(String).join('.')}: ${issue?.message.replace(', got ', ', found ')}`,
    );
  const message: Given = parsed.data;
  return ok(message.type === 'user' ? readPrompt(message, line) : message);
}

function isKind(type: string): type is keyof typeof kinds {
  return Object.hasOwn(kinds, type);
}

function readPrompt(given: GivenPrompt, line: number): HostPrompt | RefusedPrompt {
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
