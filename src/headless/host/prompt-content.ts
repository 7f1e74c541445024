import { z } from 'zod';
import { labelled } from '../../knowledge/label.ts';
import { fail, ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { PromptBlock } from '../../protocol/index.ts';

const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/, 'expected base64');
const address = z.object({ type: z.literal('url'), url: z.string().regex(/^https?:\/\//i) });

const text = z.object({ type: z.literal('text'), text: z.string() });
const image = z.object({
  type: z.literal('image'),
  source: z.union([z.object({ type: z.literal('base64'), media_type: z.string(), data: base64 }), address]),
});
const named = { title: z.string().nullish(), context: z.string().nullish() };
const pdf = z.object({
  type: z.literal('document'),
  source: z.union([
    z.object({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: base64 }),
    address,
  ]),
  ...named,
});
const plainDocument = z.object({
  type: z.literal('document'),
  source: z.union([
    z.object({ type: z.literal('text'), data: z.string() }),
    z.object({ type: z.literal('content'), content: z.union([z.string(), z.array(z.union([text, image]))]) }),
  ]),
  ...named,
});

/** The blocks of a prompt. The problem names the first that cannot be taken, by its place and kind. */
export function readContent(given: string | readonly unknown[]): Result<PromptBlock[], string> {
  const blocks = typeof given === 'string' ? [{ type: 'text', text: given }] : given;
  const read: PromptBlock[] = [];
  for (const [at, block] of blocks.entries()) {
    const taken = readBlock(block);
    if (!taken) return fail(describeBlock(block, at));
    read.push(...taken);
  }
  return read.some(isSaid) ? ok(read) : fail('it is empty');
}

/** Text that the user pasted, which goes after the typed text. */
export function readPasted(given: readonly unknown[]): Result<PromptBlock[], string> {
  const parts = given.flatMap((entry) => (Array.isArray(entry) ? entry : [entry]));
  const read = parts.flatMap((part): PromptBlock[] => {
    const block = typeof part === 'string' ? { type: 'text', text: part } : part;
    const taken = text.safeParse(block);
    return taken.success ? [taken.data] : [];
  });
  return read.length === parts.length ? ok(read) : fail('expected strings or text blocks');
}

function readBlock(block: unknown): PromptBlock[] | undefined {
  const plain = z.union([text, image]).safeParse(block);
  if (plain.success) return [plain.data];
  const file = pdf.safeParse(block);
  if (file.success) {
    const { title, context, ...rest } = file.data;
    return [{ ...rest, title: title || undefined, context: context || undefined }];
  }
  const written = plainDocument.safeParse(block);
  return written.success ? renderDocument(written.data) : undefined;
}

/** A document that is text reaches every model as text. */
function renderDocument({ source, title, context }: z.output<typeof plainDocument>): PromptBlock[] {
  const given = source.type === 'text' ? source.data : source.content;
  const parts = typeof given === 'string' ? [{ type: 'text' as const, text: given }] : given;
  const words = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  const attributes = { ...(title ? { title } : {}), ...(context ? { context } : {}) };
  return [
    ...(words.trim() === ''
      ? []
      : [{ type: 'text' as const, text: labelled('cadre-file', attributes, words) }]),
    ...parts.filter((part) => part.type === 'image'),
  ];
}

function isSaid(block: PromptBlock): boolean {
  return block.type !== 'text' || block.text.trim() !== '';
}

const kinds = ['text', 'image', 'document'];

function describeBlock(block: unknown, at: number): string {
  const { type, source } = Object(block);
  if (typeof type !== 'string') return `block ${at} has no type`;
  const kind = `"${visibleLine(type, 60)}"`;
  if (!kinds.includes(type)) return `block ${at}: type ${kind} is not supported`;
  const form = Object(source).type;
  const of = typeof form === 'string' ? ` (source "${visibleLine(form, 60)}")` : '';
  return `block ${at}: this form of type ${kind}${of} is not supported`;
}
