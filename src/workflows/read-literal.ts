/** A value that was read from source text, and where it ends. */
export interface ReadLiteral {
  value: unknown;
  end: number;
}

/** What stands there instead of a literal, with its line. */
export class NotLiteral extends Error {
  constructor(
    readonly line: number,
    reason: string,
  ) {
    super(reason);
  }
}

/**
 * Reads one literal of JavaScript: objects, lists, text, numbers, true, false, null. Nothing is evaluated: names, calls,
 * operators and substitutions are refused. Throws `NotLiteral`.
 */
export function readLiteral(source: string, start: number): ReadLiteral {
  const reader = new LiteralReader(source, start);
  return { value: reader.value(0), end: reader.at };
}

const maxDepth = 50;
const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', '0': '\0' };

class LiteralReader {
  constructor(
    private readonly source: string,
    public at: number,
  ) {}

  value(depth: number): unknown {
    this.skipSpace();
    if (depth > maxDepth) throw this.refuse(`it is nested more than ${maxDepth} deep`);
    const next = this.source[this.at];
    if (next === '{') return this.#object(depth);
    if (next === '[') return this.#list(depth);
    if (next === '"' || next === "'" || next === '`') return this.#text(next);
    const word = /[-+]?[\w.$]+/y;
    word.lastIndex = this.at;
    const found = word.exec(this.source)?.[0] ?? '';
    if (found in words) {
      this.at += found.length;
      return words[found];
    }
    if (/^[-+]?(?:0[xob][\da-f]+|\d[\d_]*(?:\.\d*)?(?:e[-+]?\d+)?|\.\d+)$/i.test(found)) {
      this.at += found.length;
      return Number(found.replaceAll('_', ''));
    }
    throw this.refuse(`found ${JSON.stringify((found || next) ?? 'the end of the file')}`);
  }

  skipSpace(): void {
    const space = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
    space.lastIndex = this.at;
    this.at += space.exec(this.source)?.[0].length ?? 0;
  }

  refuse(reason: string): NotLiteral {
    return new NotLiteral(this.source.slice(0, this.at).split('\n').length, reason);
  }

  #object(depth: number): Record<string, unknown> {
    const fields: [string, unknown][] = [];
    this.#items('}', () => {
      const name = this.#name();
      this.skipSpace();
      this.#expect(':');
      fields.push([name, this.value(depth + 1)]);
    });
    return Object.fromEntries(fields);
  }

  #list(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#items(']', () => items.push(this.value(depth + 1)));
    return items;
  }

  #items(closing: string, read: () => void): void {
    this.at++;
    for (;;) {
      this.skipSpace();
      if (this.source[this.at] === closing) break;
      read();
      this.skipSpace();
      if (this.source[this.at] !== closing) this.#expect(',');
    }
    this.at++;
  }

  #name(): string {
    const next = this.source[this.at];
    if (next === '"' || next === "'") return this.#text(next);
    const word = /[\p{ID_Start}$_][\p{ID_Continue}$]*|\d+/uy;
    word.lastIndex = this.at;
    const found = word.exec(this.source)?.[0];
    if (found === undefined) throw this.refuse('expected the name of a field');
    this.at += found.length;
    return found;
  }

  #text(quote: string): string {
    let text = '';
    for (this.at++; ; this.at++) {
      const next = this.source[this.at];
      if (next === undefined || (next === '\n' && quote !== '`')) throw this.refuse('text without an end');
      if (next === quote) break;
      if (next === '$' && quote === '`' && this.source[this.at + 1] === '{')
        throw this.refuse('a template with a substitution is not a literal');
      text += next === '\\' ? this.#escape() : next;
    }
    this.at++;
    return text;
  }

  #escape(): string {
    const code = /u\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2})/iy;
    code.lastIndex = this.at + 1;
    const found = code.exec(this.source);
    if (found) {
      this.at += found[0].length;
      const point = Number.parseInt(found[1] ?? found[2] ?? found[3] ?? '', 16);
      if (point > 0x10ffff) throw this.refuse('it has an escape that is not a character');
      return String.fromCodePoint(point);
    }
    const next = this.source[++this.at] ?? '';
    return next === '\n' ? '' : (escapes[next] ?? next);
  }

  #expect(text: string): void {
    if (this.source[this.at] !== text)
      throw this.refuse(
        `expected ${JSON.stringify(text)}, found ${JSON.stringify(this.source[this.at] ?? 'the end of the file')}`,
      );
    this.at++;
  }
}

const words: Record<string, unknown> = { true: true, false: false, null: null };
