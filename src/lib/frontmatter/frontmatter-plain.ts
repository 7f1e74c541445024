import type { Block, FrontmatterProblem } from './frontmatter-block.ts';

/**
 * Reads a block of plain fields as YAML would, without its parser: strings, numbers, true and false, lists, nested fields,
 * and block strings. Undefined where it contains anything else: then the parser decides. An unclosed bracket or quote is an
 * error whatever follows, and is reported. It is more lenient in three cases, which are never valid YAML but common in users'
 * files: `description: what: and why`, `tools: *`, and `argument-hint: [file] [line]`.
 */
export function readPlainBlock(source: string): Block | FrontmatterProblem | undefined {
  if (forbidden.test(source)) return undefined;
  const reader = new PlainReader(source.split('\n'));
  return reader.read() ? reader.block : reader.fault;
}

/** Tabs, control characters, odd blanks, and everything that some parser takes for the end of a line. */
const forbidden = /[^\S \n]|[\u0000-\u0009\u000b-\u001f\u007f-\u009f\ufffe\uffff]/;

const maxDepth = 10;

class PlainReader {
  readonly block: Block = { data: Object.create(null), lines: new Map(), notes: [] };
  fault: FrontmatterProblem | undefined;
  #at = 0;

  constructor(private readonly rows: string[]) {}

  read(): boolean {
    for (;;) {
      const row = this.#next();
      if (row === undefined) return true;
      const [, key, rest = ''] = field.exec(row) ?? [];
      if (key === undefined || Object.hasOwn(this.block.data, key)) return false;
      this.block.lines.set(key, ++this.#at);
      const value = this.#value(key, rest);
      if (value === undefined || this.#next()?.startsWith(' ')) return false;
      this.block.data[key] = value;
    }
  }

  /** Undefined: not plain. */
  #value(key: string, rest: string): unknown {
    const text = withoutComment(rest);
    if (text === '') return this.#below(0, true, 0);
    if (text[0] === '|' || text[0] === '>') {
      const style = /^([|>])(-?)$/.exec(text);
      return style ? this.#blockText(style[1] === '>', style[2] === '-') : undefined;
    }
    const open = this.#unclosed(rest);
    if (open !== undefined) {
      const reason = `not valid YAML: the ${open.what} that begins here is not closed: expected ${open.by}`;
      this.fault = { line: this.#at, reason };
      return undefined;
    }
    if (text[0] === '[') {
      // `argument-hint: [file] [line]`, as in many users' commands.
      if (!/^\[[^[\]{}"'#]*\] +[^\s#]/.test(text)) return flowList(text);
      const advice = `the value of ${key} is not valid YAML; it was read as text. Put it in quotes`;
      this.block.notes.push({ line: this.#at, text: advice });
      return text;
    }
    if (isMapping(text) && startsPlain(text)) {
      const advice = `the value of ${key} contains a colon; it was read as text. Put it in quotes`;
      this.block.notes.push({ line: this.#at, text: advice });
      // It is not YAML, so nothing in it is a comment.
      return rest.trimEnd();
    }
    return scalar(text);
  }

  /** A bracket or quote that a value opens and nothing in the rest of the block could close. */
  #unclosed(rest: string): { what: string; by: string } | undefined {
    const found = closers[rest[0] ?? ''];
    if (!found || rest.includes(found.by, 1)) return undefined;
    for (let at = this.#at; at < this.rows.length; at++)
      if (this.rows[at]?.includes(found.by)) return undefined;
    return found;
  }

  /** The content below a field: a list, which may be aligned with the field, fields that are further indented, or nothing. */
  #below(indent: number, listMayStay: boolean, depth: number): unknown {
    const row = this.#next() ?? '';
    const inner = row.length - row.trimStart().length;
    if (depth > maxDepth) return undefined;
    if (row.startsWith('- ', inner) && (inner > indent || (listMayStay && inner === indent)))
      return this.#list(inner, depth);
    return inner > indent ? this.#fields(inner, depth) : null;
  }

  #fields(indent: number, depth: number): unknown {
    const data: Record<string, unknown> = Object.create(null);
    for (let row = this.#next(); row !== undefined; row = this.#next()) {
      const inner = row.length - row.trimStart().length;
      if (inner < indent) return data;
      const [, key, rest = ''] = inner === indent ? (field.exec(row.slice(indent)) ?? []) : [];
      if (key === undefined || Object.hasOwn(data, key)) return undefined;
      this.#at++;
      const value = this.#innerValue(withoutComment(rest), indent, true, depth);
      if (value === undefined) return undefined;
      data[key] = value;
    }
    return data;
  }

  #list(indent: number, depth: number): unknown[] | undefined {
    const items: unknown[] = [];
    const lead = ' '.repeat(indent);
    for (let row = this.#next(); row?.startsWith(`${lead}- `); row = this.#next()) {
      const rest = row.slice(indent + 2).trimStart();
      const item = field.test(rest)
        ? this.#fieldsOfItem(row, rest, depth)
        : this.#itemValue(withoutComment(rest));
      if (item === undefined) return undefined;
      items.push(item);
    }
    const next = this.#next() ?? '';
    return next.startsWith(`${lead} `) || /^ *-(?: |$)/.test(next) ? undefined : items;
  }

  /** `- name: value`: fields that begin beside the dash. */
  #fieldsOfItem(row: string, rest: string, depth: number): unknown {
    const indent = row.length - rest.length;
    this.rows[this.#at] = ' '.repeat(indent) + rest;
    return this.#fields(indent, depth + 1);
  }

  #itemValue(text: string): unknown {
    this.#at++;
    return text === '' || text.startsWith('[') || isMapping(text) ? undefined : scalar(text);
  }

  #innerValue(text: string, indent: number, listMayStay: boolean, depth: number): unknown {
    if (text === '') return this.#below(indent, listMayStay, depth + 1);
    if (text.startsWith('[')) return flowList(text);
    return isMapping(text) || /^[|>]/.test(text) ? undefined : scalar(text);
  }

  #blockText(folded: boolean, stripped: boolean): string | undefined {
    const rows: string[] = [];
    for (
      let row = this.rows[this.#at];
      row !== undefined && /^(?: |$)/.test(row);
      row = this.rows[this.#at]
    ) {
      rows.push(row);
      this.#at++;
    }
    while (rows.at(-1) === '') rows.pop();
    const indent = /^ +/.exec(rows[0] ?? '')?.[0];
    if (indent === undefined || rows[0]?.trim() === '') return undefined;
    const plain = rows.every((row) => row === '' || (row.startsWith(indent) && row.trim() !== ''));
    if (!plain) return undefined;
    const lines = rows.map((row) => row.slice(indent.length));
    if (folded && lines.some((line) => line.startsWith(' '))) return undefined;
    const text = folded
      ? lines.join('\n').replace(/\n+/g, (ends) => (ends.length === 1 ? ' ' : ends.slice(1)))
      : lines.join('\n');
    return stripped ? text : `${text}\n`;
  }

  #next(): string | undefined {
    this.#skipEmpty();
    return this.rows[this.#at];
  }

  #skipEmpty(): void {
    while (isEmpty(this.rows[this.#at] ?? '-')) this.#at++;
  }
}

/** A quoted string may contain a number sign; then it is not plain, and the closing quote is found missing. */
function withoutComment(text: string): string {
  if (text.startsWith('#')) return '';
  const at = text.indexOf(' #');
  return (at < 0 || /^["']/.test(text) ? text : text.slice(0, at)).trimEnd();
}

function flowList(text: string): unknown[] | undefined {
  if (!text.endsWith(']')) return undefined;
  const inner = text.slice(1, -1).trim();
  if (inner === '') return [];
  const items: unknown[] = [];
  // Quoted, or without characters that have a meaning in a list.
  const flowItem = /\s*("[^"\\]*"|'[^']*'|[^"',[\]{}#:&*!|>%@`?]+)\s*(,|$)/y;
  while (flowItem.lastIndex < inner.length) {
    const found = flowItem.exec(inner);
    const value = found ? scalar((found[1] ?? '').trim()) : undefined;
    if (value === undefined || (found?.[2] === ',') !== flowItem.lastIndex < inner.length) return undefined;
    items.push(value);
  }
  return items;
}

const field = /^([A-Za-z][\w-]*):(?: +(.*))?$/;

const closers: Readonly<Record<string, { what: string; by: string }>> = {
  '[': { what: 'list', by: ']' },
  '{': { what: 'group', by: '}' },
  '"': { what: 'text', by: '"' },
  "'": { what: 'text', by: "'" },
};

/** Empty, blank, or a comment. */
function isEmpty(row: string): boolean {
  let at = 0;
  while (row[at] === ' ') at++;
  return at === row.length || row[at] === '#';
}

function isMapping(text: string): boolean {
  return text.includes(': ') || text.endsWith(':');
}

function startsPlain(text: string): boolean {
  return /^[^-?:,[\]{}#&*!|>'"%@`]/.test(text);
}

function scalar(text: string): unknown {
  if (text === '*') return text;
  if (startsWithLetter(text)) return words.has(text) ? words.get(text) : text;
  const quoted = /^"([^"\\]*)"$/.exec(text) ?? /^'([^']*)'$/.exec(text);
  if (quoted) return quoted[1];
  if (/^-?(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  if (!startsPlain(text)) return undefined;
  if (text === '~') return null;
  // Anything else that may be a number, in one of its many forms.
  return /^[-+]?(?:\.?\d|\.(?:inf|nan))\S*$/i.test(text) ? undefined : text;
}

function startsWithLetter(text: string): boolean {
  const code = text.charCodeAt(0) | 32;
  return code >= 97 && code <= 122;
}

const words: ReadonlyMap<string, boolean | null> = new Map([
  ...['true', 'True', 'TRUE'].map((word): [string, boolean | null] => [word, true]),
  ...['false', 'False', 'FALSE'].map((word): [string, boolean | null] => [word, false]),
  ...['null', 'Null', 'NULL'].map((word): [string, boolean | null] => [word, null]),
]);
