import { z } from 'zod';
import { ok, type Problem, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';

/**
 * What a host may write, one JSON object per line. Unknown fields are accepted; unknown kinds of message are reported.
 */
const textBlock = z.object({ type: z.literal('text'), text: z.string() });
const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/, 'expected base64');
const imageBlock = z.object({
  type: z.literal('image'),
  source: z.object({ type: z.literal('base64'), media_type: z.string(), data: base64 }),
});

const userMessage = z.object({
  type: z.literal('user'),
  message: z.object({
    role: z.literal('user'),
    content: z
      .union([z.string(), z.array(z.discriminatedUnion('type', [textBlock, imageBlock])).min(1)])
      .refine(isSaid, 'expected text that is not only whitespace'),
  }),
  uuid: z.string().optional(),
  priority: z.enum(['now', 'next', 'later']).optional(),
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

function isSaid(content: string | { type: string; text?: string }[]): boolean {
  if (typeof content === 'string') return content.trim() !== '';
  return content.some((block) => block.type !== 'text' || block.text?.trim() !== '');
}

/** A prompt that cannot be taken. It costs itself: the host may send others. */
export interface RefusedPrompt {
  type: 'refused';
  problem: Problem;
}

export type HostMessage = z.output<typeof hostMessage> | RefusedPrompt;
export type ControlRequest = z.output<typeof controlRequest>;
export type ControlResponse = z.output<typeof controlResponse>;

export function parseHostMessage(text: string, line: number): Result<HostMessage> {
  const json = parseJson(text);
  if (!json.ok) return usage(`stdin, line ${line}: not valid JSON (${json.problem}).`, expected);
  const parsed = hostMessage.safeParse(json.value);
  if (parsed.success) return ok(parsed.data);
  const refused = refuseContent(json.value, line);
  if (refused) return ok(refused);
  const issue = parsed.error.issues[0];
  const field = issue && issue.path.length > 0 ? `field ${issue.path.map(String).join('.')}` : 'the object';
  return usage(`stdin, line ${line}: ${field}: ${issue?.message ?? 'invalid value'}.`, expected);
}

/** The first block that cannot be taken, by its place and kind. */
function refuseContent(value: unknown, line: number): RefusedPrompt | undefined {
  const said = blocksOf.safeParse(value);
  if (!said.success) return undefined;
  const { content: given } = said.data.message;
  const content = typeof given === 'string' ? [] : given;
  const at = content.findIndex((one) => !anyBlock.safeParse(one).success);
  // Something else in the line is wrong.
  if (at < 0 && isSaid(given as string | { type: string; text?: string }[])) return undefined;
  const kind = isObject(content[at]) && typeof content[at].type === 'string' ? content[at].type : undefined;
  const what = content.length === 0 || at < 0 ? 'it is empty' : describeBlock(at, kind);
  const message = `stdin, line ${line}: message.content: ${what}. This prompt was not taken.`;
  const hint = 'Expected text, or text blocks and base64 image blocks.';
  return { type: 'refused', problem: { kind: 'usage', message, hint } };
}

const anyBlock = z.discriminatedUnion('type', [textBlock, imageBlock]);
const blocksOf = z.object({
  type: z.literal('user'),
  message: z.object({ role: z.literal('user'), content: z.union([z.string(), z.array(z.unknown())]) }),
});

function describeBlock(at: number, kind: string | undefined): string {
  if (kind === undefined) return `block ${at} has no type`;
  const isKnown = kind === 'text' || kind === 'image';
  return `block ${at}: ${isKnown ? 'this form of' : 'the kind'} "${visibleLine(kind, 60)}" is not supported`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const expected =
  'Each line must be one JSON object, such as ' +
  '{"type":"user","message":{"role":"user","content":"…"}}. For plain text leave out --input-format.';

function parseJson(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text));
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}
