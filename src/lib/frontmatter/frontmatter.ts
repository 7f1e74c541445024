import { fail, ok, type Result } from '../result.ts';
import { countLines } from '../text/text.ts';
import type { Block, FrontmatterProblem } from './frontmatter-block.ts';
import { readPlainBlock } from './frontmatter-plain.ts';

export type { FrontmatterProblem } from './frontmatter-block.ts';

/** The only reader of frontmatter: agents, skills, commands and memory files all begin with it. */
export interface Frontmatter {
  /** False: the file has none, and `data` is empty. */
  hasBlock: boolean;
  /** Objects in it, at any depth, have no prototype. */
  data: Readonly<Record<string, unknown>>;
  body: string;
  /** The line of each top-level field. */
  lines: ReadonlyMap<string, number>;
  /** Parts that are not valid YAML but were read anyway. */
  notes: string[];
}

export const maxTextSize = 1024 * 1024;
/** Hardly any file is larger. */
export const usualText = 64 * 1024;
const maxBlockSize = 64 * 1024;

/**
 * Reads `---`, fields, `---`, body. Most blocks are plain fields and lists, and are read without a YAML parser, which is
 * loaded only for the others: loading it takes longer than the rest of a start.
 */
export async function parseFrontmatter(given: string): Promise<Parsed> {
  return readFrontmatter(given);
}

export type Parsed = Result<Frontmatter, FrontmatterProblem>;

/** The same, synchronous where no parser is needed: a caller that reads hundreds of files need not wait for each. */
export function readFrontmatter(given: string): Parsed | Promise<Parsed> {
  if (given.length > maxTextSize) return refuse(1, `larger than ${maxTextSize} characters`);
  const text = normalise(given);
  const opening = text.startsWith('---\n') ? '---\n' : /^(?:[ \t]*\n)*---[ \t]*\n/.exec(text)?.[0];
  if (opening === undefined) {
    const indented = /^(?:[ \t]*\n)*(?=[ \t]+---[ \t]*\n[ \t]+[A-Za-z][\w-]*:)/.exec(text)?.[0];
    if (indented === undefined) return ok(withoutBlock(text));
    return refuse(
      countLines(indented) + 1,
      'the frontmatter is indented: expected its lines to begin at the left edge',
    );
  }
  const firstLine = countLines(opening) + 1;
  const closing = findClosing(text, opening.length);
  if (!closing) return refuse(firstLine - 1, unclosed(text.length - opening.length > maxBlockSize));
  const source = text.slice(opening.length, closing.from);
  const finish = (block: Block | FrontmatterProblem): Parsed => {
    if ('reason' in block) return refuse(block.line + firstLine - 1, block.reason);
    const body = text.slice(closing.to);
    breakDescriptions(block, source);
    return ok(withBlock(block, body, firstLine));
  };
  const block = readPlainBlock(source);
  return block ? finish(block) : readYaml(source).then(finish);
}

/** Authors write `\n` in descriptions without quotes, where YAML keeps two characters: a line break is meant. */
function breakDescriptions({ data, lines }: Block, source: string): void {
  for (const [key, value] of Object.entries(data)) {
    if (!/^(?:description|when[-_]?to[-_]?use)$/i.test(key)) continue;
    if (typeof value !== 'string' || !value.includes('\\n')) continue;
    const row = source.split('\n')[(lines.get(key) ?? 1) - 1] ?? '';
    if (!/^[^:]*:\s*["'|>]/.test(row)) data[key] = value.replaceAll(/(?:\\r)?\\n/g, '\n');
  }
}

function withBlock(block: Block, body: string, firstLine: number): Frontmatter {
  for (const [key, line] of block.lines) block.lines.set(key, line + firstLine - 1);
  return {
    hasBlock: true,
    data: block.data,
    body,
    lines: block.lines,
    notes: block.notes.map((note) => `line ${note.line + firstLine - 1}: ${note.text}`),
  };
}

/** The line `---` that ends a block which begins here. */
function findClosing(text: string, start: number): { from: number; to: number } | undefined {
  const end = start + maxBlockSize;
  for (
    let at = text.indexOf('\n---', start - 1);
    at !== -1 && at + 1 < end;
    at = text.indexOf('\n---', at + 1)
  ) {
    const rest = /[ \t]*(\n|$)/y;
    rest.lastIndex = at + 4;
    if (rest.test(text)) return { from: at + 1, to: rest.lastIndex };
  }
  return undefined;
}

async function readYaml(source: string): Promise<Block | FrontmatterProblem> {
  const { readYamlBlock } = await import('./frontmatter-yaml.ts');
  return readYamlBlock(source);
}

function normalise(text: string): string {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  return body.includes('\r') ? body.replace(/\r\n?/g, '\n') : body;
}

function withoutBlock(text: string): Frontmatter {
  return {
    hasBlock: false,
    data: Object.create(null),
    body: text,
    lines: new Map(),
    notes: [],
  };
}

function unclosed(isLong: boolean): string {
  const where = isLong ? ` in its first ${maxBlockSize} characters` : '';
  return `the frontmatter that begins here is not closed${where}: expected another line ---`;
}

function refuse(line: number, reason: string): Result<never, FrontmatterProblem> {
  return fail({ line, reason });
}
