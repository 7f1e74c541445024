import type { Block } from './frontmatter-block.ts';

/**
 * Reads a block of plain fields as YAML would, without its parser: texts, numbers, true and false, lists of them,
 * and block texts. Undefined where anything else stands in it: then the parser decides. It is more lenient in three
 * things, which are never valid YAML and stand in many people's files: `description: what: and why`, `tools: *`, and
 * `argument-hint: [file] [line]`.
 */
export function readPlainBlock(source: string): Block | undefined {
  if (forbidden.test(source)) return undefined;
  const reader = new PlainReader(source.split('\n'));
  return reader.read() ? reader.block : undefined;
}

/** Tabs, controls, odd blanks, and all that some parser takes for the end of a line. */
const forbidden = /[^\S \n]|[\u0000-\u0009\u000b-\u001f\u007f-\u009f\ufffe\uffff]/;

class PlainReader {
  readonly block: Block = { data: Object.create(null), lines: new Map(), notes: [] };
  #at = 0;

  constructor(private readonly rows: readonly string[]) {}

  read(): boolean {
    for (;;) {
      this.#skipEmpty();
      const row = this.rows[this.#at];
      if (row === undefined) return true;
      const [, key, rest = ''] = /^([A-Za-z][\w-]*):(?: +(.*))?$/.exec(row) ?? [];
      if (key === undefined || Object.hasOwn(this.block.data, key)) return false;
      this.block.lines.set(key, ++this.#at);
      const value = this.#value(key, withoutComment(rest));
      if (value === undefined || /^ /.test(this.#next() ?? '')) return false;
      this.block.data[key] = value;
    }
  }

  /** Undefined: not plain. */
  #value(key: string, text: string): unknown {
    if (text === '') return this.#list();
    const style = /^([|>])(-?)$/.exec(text);
    if (style) return this.#blockText(style[1] === '>', style[2] === '-');
    // `argument-hint: [file] [line]`, as it stands in many people's commands.
    if (/^\[[^[\]{}"'#]*\] +[^\s#]/.test(text)) {
      const advice = `the value of ${key} is not valid YAML; it was read as text. Put it in quotes`;
      this.block.notes.push({ line: this.#at, text: advice });
      return text;
    }
    if (text.startsWith('[')) return flowList(text);
    const isMapping = /:(?: |$)/.test(text);
    if (isMapping && startsPlain(text)) {
      const advice = `the value of ${key} holds a colon; it was read as text. Put it in quotes`;
      this.block.notes.push({ line: this.#at, text: advice });
      return text;
    }
    return scalar(text);
  }

  #list(): unknown[] | null | undefined {
    const indent = /^( *)- /.exec(this.#next() ?? '')?.[1];
    if (indent === undefined) return null;
    const items: unknown[] = [];
    for (let row = this.#next(); row?.startsWith(`${indent}- `); row = this.#next()) {
      const text = withoutComment(row.slice(indent.length + 2).trimStart());
      const item = /:(?: |$)/.test(text) || text.startsWith('[') ? undefined : scalar(text);
      if (item === undefined) return undefined;
      items.push(item);
      this.#at++;
    }
    return /^ *-(?: |$)/.test(this.#next() ?? '') ? undefined : items;
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
    while (/^ *(?:#.*)?$/.test(this.rows[this.#at] ?? '-')) this.#at++;
  }
}

/** A quoted text may hold a number sign; then it is not plain, and the closing quote is found missing. */
function withoutComment(text: string): string {
  if (text.startsWith('#')) return '';
  const at = text.indexOf(' #');
  return (at < 0 || /^["']/.test(text) ? text : text.slice(0, at)).trimEnd();
}

function flowList(text: string): unknown[] | undefined {
  const inner = /^\[([^[\]{}"'#:&*!|>%@`?]*)\]$/.exec(text)?.[1];
  if (inner === undefined) return undefined;
  if (inner.trim() === '') return [];
  const items = inner.split(',').map((item) => (item.trim() === '' ? undefined : scalar(item.trim())));
  return items.includes(undefined) ? undefined : items;
}

function startsPlain(text: string): boolean {
  return /^[^-?:,[\]{}#&*!|>'"%@`]/.test(text);
}

function scalar(text: string): unknown {
  if (text === '*') return text;
  const quoted = /^"([^"\\]*)"$/.exec(text) ?? /^'([^']*)'$/.exec(text);
  if (quoted) return quoted[1];
  if (/^-?(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  if (!startsPlain(text)) return undefined;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  if (/^(?:~|null|Null|NULL)$/.test(text)) return null;
  // Anything else that may be a number, in one of its many forms.
  return /^[-+.\d]\S*$/.test(text) ? undefined : text;
}
