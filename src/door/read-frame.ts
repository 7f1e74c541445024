import { z } from 'zod';
import { ok, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import { efforts } from '../protocol/effort.ts';
import { type Command, permissionModes } from '../protocol/index.ts';
import type { ClientFrame } from './frames.ts';

const text = z.object({ type: z.literal('text'), text: z.string() });
const image = z.object({
  type: z.literal('image'),
  source: z.object({
    type: z.literal('base64'),
    media_type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    data: z.base64(),
  }),
});
const mode = z.enum(permissionModes);
const behaviour = z.enum(['allow', 'ask', 'deny']);
const rule = z.object({
  behaviour,
  tool: z.string(),
  specifier: z.string().optional(),
  layer: z.enum(['managed', 'cli', 'local', 'project', 'user', 'session']),
  source: z.string(),
  base: z.string(),
});
const rules = z.array(rule);
const settingsFile = z.enum(['local', 'project', 'user']);
const destination = z.enum(['agent', 'session', 'local', 'project', 'user']);
const update = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['add_rules', 'remove_rules']), rules, destination }),
  z.object({ type: z.literal('replace_rules'), behaviour, rules, destination }),
  z.object({ type: z.literal('set_mode'), mode, destination }),
  z.object({
    type: z.enum(['add_directories', 'remove_directories']),
    directories: z.array(z.string()),
    destination,
  }),
]);
const answer = z.discriminatedUnion('behaviour', [
  z.object({
    behaviour: z.literal('allow'),
    input: z.record(z.string(), z.unknown()).optional(),
    rules: rules.optional(),
    scope: z.enum(['once', 'agent', 'session', 'saved']).optional(),
    destination: settingsFile.optional(),
    mode: mode.optional(),
    updates: z.array(update).optional(),
  }),
  z.object({ behaviour: z.literal('deny'), message: z.string(), interrupt: z.boolean().optional() }),
]);

/** An answer has no `by` here: an answer through the door is a person's, whatever the client says. */
const command = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('prompt'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image])).min(1)]),
    uuid: z.uuid().optional(),
    delivery: z.enum(['steer', 'queue']).optional(),
  }),
  z.object({ type: z.literal('interrupt') }),
  z.object({ type: z.literal('answer'), questionId: z.string(), answer }),
  z.object({ type: z.literal('set_permission_mode'), mode }),
  z.object({ type: z.literal('set_model'), model: z.string().nullable() }),
  z.object({ type: z.literal('set_effort'), effort: z.enum(efforts).nullable() }),
  z.object({ type: z.literal('skip_workflow_call'), runId: z.string(), callId: z.string() }),
  z.object({ type: z.literal('stop_task'), taskId: z.string(), runId: z.string().optional() }),
  z.object({ type: z.literal('background_tasks'), toolUseId: z.string().optional() }),
  z.object({ type: z.literal('message_agent'), to: z.string(), message: z.string() }),
  z.object({ type: z.literal('move'), engine: z.string(), to: z.string() }),
  z.object({ type: z.literal('compact'), instructions: z.string().optional() }),
]);

const frame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: z.number(),
    client: z.string().max(200),
    events: z.union([z.literal('all'), z.array(z.string())]).optional(),
    since: z.string().max(200).optional(),
  }),
  z.object({ type: z.literal('command'), id: z.string().max(200), command }),
]);

/** One line of a client. Everything in it is data: unknown fields are left out. */
export function readFrame(line: Uint8Array): Result<ClientFrame> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch {
    return usage('This line is not JSON in UTF-8.', 'Send one JSON object per line.');
  }
  const read = frame.safeParse(value);
  if (read.success) return ok(toClientFrame(read.data));
  const [issue] = read.error.issues;
  const path = issue?.path.join('.') || 'the line';
  return usage(`${visibleLine(path, 100)}: ${visibleLine(issue?.message ?? 'not a frame', 300)}`);
}

function toClientFrame(read: z.output<typeof frame>): ClientFrame {
  if (read.type === 'hello') return read as ClientFrame;
  const { command, id } = read;
  const asked: Command =
    command.type === 'answer' ? ({ ...command, by: 'person' } as Command) : (command as Command);
  return { type: 'command', id, command: asked };
}

/** A command as it comes from outside; undefined if it is none. */
export function readCommand(value: unknown): Command | undefined {
  const read = command.safeParse(value);
  return read.success ? (read.data as Command) : undefined;
}
