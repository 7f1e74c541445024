import { closeSync, readFileSync, readSync } from 'node:fs';
import { describeFileError } from '../../lib/files/files.ts';
import { form, type OutputOf } from '../../lib/form/form.ts';
import { hashBytes } from '../../lib/hash.ts';
import { visibleLine } from '../../lib/text/text.ts';
import {
  defineTool,
  errorResult,
  type ToolContext,
  type ToolResult,
  textResult,
} from '../../protocol/tool.ts';
import { resolvePath } from '../../workspace/paths.ts';
import { withoutProgress } from '../without-progress.ts';
import { filePath } from './file-input.ts';
import { type FileKind, fileKind } from './file-kind.ts';
import { describeMissing } from './near-names.ts';
import { type OpenFile, openFile } from './open-file.ts';
import description from './read.md' with { type: 'text' };
import { type Lines, type Range, selectLines, streamLines } from './read-lines.ts';
import { rememberFile } from './seen-files.ts';
import { decodeText } from './text-file.ts';

const defaultLines = 2000;
const maxLineLength = 2000;
const maxCharacters = 100_000;
/** Larger files are read as a stream. */
const maxHeld = 10 * 1024 * 1024;
/** Larger ones are not read to their end, so they can be viewed but not edited. */
const maxHashed = 512 * 1024 * 1024;
const maxOfPdf = 32 * 1024 * 1024;
/** The limit of providers for one image: 5 MB as base64. */
const maxImage = 3.75 * 1024 * 1024;

const schema = form.strictObject({
  file_path: filePath.describe('Absolute, or relative to the working directory'),
  offset: form.int().min(1).optional().describe('From 1'),
  limit: form.int().min(1).optional(),
  pages: form
    .string()
    .refine(
      (text) => /^\d{1,5}(-\d{1,5})?$/.test(text),
      'Expected a page or a range of pages, such as "3" or "1-5".',
    )
    .optional()
    .describe('Such as "1-5"'),
});

type Input = OutputOf<typeof schema>;

export const readTool = defineTool({
  name: 'Read',
  description: description.trim(),
  schema,
  access: (input, cwd) => [{ kind: 'read', path: resolvePath(cwd, input.file_path) }],
  concurrent: () => true,
  summary: (input) => visibleLine(input.file_path, 300),
  run: (input, context) => withoutProgress(() => read(input, context)),
});

async function read(input: Input, context: ToolContext): Promise<ToolResult> {
  const path = resolvePath(context.directory.current, input.file_path);
  const opened = openFile(path, context.judged(path));
  if (!opened.ok) return errorResult(opened.problem.message);
  if (!opened.value) return errorResult(describeMissing(path, context));
  try {
    return await show(path, opened.value, input, context);
  } catch (error) {
    return errorResult(describeFileError(error, path, 'read').message);
  } finally {
    closeSync(opened.value.descriptor);
  }
}

async function show(path: string, file: OpenFile, input: Input, context: ToolContext): Promise<ToolResult> {
  if (file.stat.size > maxHeld && !isReadablePdf(file)) return await showLarge(path, file, input, context);
  const bytes = readFileSync(file.descriptor);
  const kind = fileKind(bytes);
  if (kind.kind === 'pdf') return await showPdf(path, file, bytes, input, context);
  if (input.pages !== undefined)
    return errorResult(`${path} is not a PDF document, so it has no pages. Use offset and limit.`);
  if (kind.kind === 'binary') return refuse(path, kind, bytes.length);
  if (kind.kind === 'image' && bytes.length > maxImage) return refuse(path, kind, bytes.length);
  if (kind.kind === 'image') {
    context.files.set(file.real, { hash: hashBytes(bytes) });
    return showImage(path, bytes, kind.mediaType);
  }
  const { text } = decodeText(bytes);
  rememberFile(context.files, file.real, bytes, text);
  if (text === '') return textResult(`${path} is empty.`, { filePath: path, numLines: 0, totalLines: 0 });
  const notebook = path.endsWith('.ipynb')
    ? (await import('./read-notebook.ts')).renderNotebook(text)
    : undefined;
  return showText(path, selectLines(notebook ?? text, readRange(input)), readRange(input), context);
}

function isReadablePdf({ descriptor, stat }: OpenFile): boolean {
  return stat.size <= maxOfPdf && readFileKind(descriptor).kind === 'pdf';
}

async function showPdf(
  path: string,
  file: OpenFile,
  bytes: Buffer,
  input: Input,
  context: ToolContext,
): Promise<ToolResult> {
  const { readPdf } = await import('./read-pdf.ts');
  context.files.set(file.real, { hash: hashBytes(bytes) });
  return await readPdf(path, bytes, input.pages, context);
}

async function showLarge(
  path: string,
  file: OpenFile,
  input: Input,
  context: ToolContext,
): Promise<ToolResult> {
  const kind = readFileKind(file.descriptor);
  if (kind.kind !== 'text') return refuse(path, kind, file.stat.size);
  const range = readRange(input);
  const read = await streamLines(file.descriptor, range, maxHashed);
  if (read.hash !== undefined) context.files.set(file.real, { hash: read.hash });
  return showText(path, read, range, context);
}

function readFileKind(descriptor: number): FileKind {
  const head = Buffer.alloc(8192);
  return fileKind(head.subarray(0, readSync(descriptor, head, 0, head.length, 0)));
}

function readRange(input: Input): Range {
  return { offset: input.offset ?? 1, limit: input.limit ?? defaultLines };
}

function refuse(path: string, kind: Exclude<FileKind, { kind: 'text' }>, size: number): ToolResult {
  if (kind.kind === 'pdf')
    return errorResult(
      `${path} is a PDF document of ${size} bytes, above the limit of 32 MB. Use pdftotext in Bash.`,
    );
  const what = kind.kind === 'image' ? `an image (${kind.mediaType})` : kind.name;
  const next =
    kind.kind === 'image'
      ? 'Images above 3.75 MB cannot be shown: make a smaller copy with Bash.'
      : 'It is not shown as text: look at it with a program in Bash (file, strings, xxd | head).';
  return errorResult(`${path} is ${what}, ${size} bytes. ${next}`);
}

function showImage(path: string, bytes: Buffer, mediaType: string): ToolResult {
  return {
    content: [
      { type: 'image', source: { type: 'base64', media_type: mediaType, data: bytes.toString('base64') } },
    ],
    isError: false,
    data: { type: 'image', filePath: path, mediaType, size: bytes.length },
  };
}

function showText(path: string, read: Lines, range: Range, { secrets }: ToolContext): ToolResult {
  const { total } = read;
  if (read.lines.length === 0) {
    return errorResult(`${path} has ${total ?? 'fewer'} lines, so there is nothing at line ${range.offset}.`);
  }
  const shown = numberLines(read.lines, range.offset, (line) => secrets?.hide(line) ?? line);
  const last = range.offset + shown.length - 1;
  const isWhole = range.offset === 1 && last === total;
  const more = total !== undefined && last >= total ? '' : ` Continue with offset ${last + 1}.`;
  const note = isWhole ? '' : `\n[Lines ${range.offset}-${last} of ${total ?? 'more'}.${more}]`;
  return textResult(shown.join('\n') + note, {
    type: 'text',
    filePath: path,
    startLine: range.offset,
    numLines: shown.length,
    totalLines: total,
  });
}

/** A line is masked before it is cut: half a secret would not be recognized. */
function numberLines(lines: readonly string[], first: number, hide: (line: string) => string): string[] {
  const shown: string[] = [];
  let characters = 0;
  for (const line of lines) {
    const cut = line.length > maxLineLength ? `${hide(line).slice(0, maxLineLength)}… [line cut]` : line;
    const numbered = `${first + shown.length}→${cut}`;
    characters += numbered.length + 1;
    if (characters > maxCharacters && shown.length > 0) break;
    shown.push(numbered);
  }
  return shown;
}
