import { z } from 'zod';
import { showBytes } from '../../lib/files/exact-paths.ts';
import { hashBytes, isSameDigest, signText } from '../../lib/hash.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import { type MailKind, type MailMessage, mailKinds } from '../../protocol/team.ts';
import { isAddress, isProgramAddress } from '../names.ts';
import { nameNew } from './box-place.ts';

/** Of one file, proof included. Longer texts belong into a file that the mail names. */
export const maxMailBytes = 512 * 1024;
export const maxTextCharacters = 100_000;

/** They steer the harness. Only members send them, and each is for one incarnation. */
const controlKinds: ReadonlySet<MailKind> = new Set([
  'shutdown_request',
  'shutdown_response',
  'plan_approval_request',
  'plan_approval_response',
  'permission_request',
  'permission_response',
] as const);

export function isControlKind(kind: MailKind): boolean {
  return controlKinds.has(kind);
}

/** What other programs may send. */
const programKinds = ['text', 'broadcast'] as const;

const text = z.string().max(maxTextCharacters);
const short = z.string().max(200);
const common = {
  id: z.uuid().toLowerCase(),
  text,
  summary: short.optional(),
  inReplyTo: z.uuid().toLowerCase().optional(),
  awaitsAnswer: z.boolean().optional(),
};

/** Fields of later versions are ignored. */
const signed = z.object({
  ...common,
  format: z.literal(1),
  team: short,
  from: z.string().refine(isAddress),
  fromIncarnation: short.optional(),
  to: z.string().refine(isAddress),
  toIncarnation: short.optional(),
  kind: z.enum(mailKinds),
  sentAt: z.iso.datetime(),
  order: z.int().nonnegative(),
  body: z.record(z.string(), z.unknown()).optional(),
});

/** Fields that only the harness sets are ignored here, as unknown ones are. */
const foreign = z.object({
  ...common,
  format: z.literal(1),
  id: common.id.optional(),
  from: z
    .string()
    .refine(isProgramAddress, 'expected program:NAME; only the harness sends for members and the user')
    .optional(),
  to: short.optional(),
  kind: z.enum(programKinds, 'expected text or broadcast; only the harness sends other kinds').optional(),
});

/** A message with its proof, as it is in a file: two lines of JSON. */
export function serialiseMail(message: MailMessage, key: string): string {
  const line = JSON.stringify(message);
  return `${line}\n{"proof":"${signText(key, line)}"}\n`;
}

/** Where a file was found: a message is for one box, under one name. */
export interface Found {
  team: string;
  box: string;
  file: string;
  text: string;
  mtimeMs: number;
}

/** The message in a file, or why it is not one. What carries a proof is from the harness, anything else is from a program. */
export function parseMail(found: Found, key: string): Result<MailMessage, string> {
  const proved = proofLine.exec(found.text);
  if (!proved) return parseForeign(found);
  const line = found.text.slice(0, proved.index);
  if (!isSameDigest(signText(key, line), proved[1] ?? '')) return fail('its proof is not valid');
  const message = check(signed, line);
  if (!message.ok) return message;
  const { team, to, kind, toIncarnation, id } = message.value;
  if (team !== found.team || to !== found.box) return fail(`it is for ${to}@${team}`);
  if (isControlKind(kind) && toIncarnation === undefined) return fail(`${kind} names no incarnation`);
  const names = [nameNew(message.value), `${id}.json`];
  return names.includes(found.file) ? message : fail(`its name should be ${names[0]}`);
}

const proofLine = /\n\{"proof":"([0-9a-f]{64})"\}\s*$/;

function parseForeign({ team, box, file, text: content, ...found }: Found): Result<MailMessage, string> {
  const parsed = check(foreign, content);
  if (!parsed.ok) return parsed;
  const { id, from = 'program:unnamed', to, kind = 'text', ...rest } = parsed.value;
  if (to !== undefined && ![box, `${box}@${team}`].includes(to)) return fail(`it is for ${to}`);
  // A file may have any time.
  const mtimeMs = Math.min(Math.max(0, found.mtimeMs), latestMs);
  const named = file.replace(/\.json$/, '');
  return ok({
    ...rest,
    ...{
      id: id ?? (isUuid(named) ? named : deriveId(`${showBytes(file)}\n${mtimeMs}\n${content}`)),
      team,
      from,
      to: box,
      kind,
    },
    ...{ sentAt: new Date(mtimeMs).toISOString(), order: Math.floor(mtimeMs * 1000) },
  });
}

/** The year 2200. */
const latestMs = 7_258_118_400_000;

function check<T>(schema: z.ZodType<T>, json: string): Result<T, string> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return fail('it is not JSON');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  return fail(`${issue?.path.join('.') || 'its content'}: ${issue?.message ?? 'not valid'}`.slice(0, 300));
}

function isUuid(name: string): boolean {
  return z.uuid().safeParse(name).success && name === name.toLowerCase();
}

/** Always the same for one file, so that it is known again after a crash between noting and moving it. */
function deriveId(text: string): string {
  const digits = hashBytes(text);
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
}
