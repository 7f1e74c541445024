import { fail, ok, type Result } from '../lib/result.ts';

/** The position of a JSON error, counted from 1. */
export interface JsonFault {
  line: number;
  column: number;
  expected: string;
}

/**
 * Parses JSON and locates errors, which engines report differently. A byte order mark is
 * tolerated; comments are not.
 */
export function parseJson(text: string): Result<unknown, JsonFault> {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  try {
    return ok(JSON.parse(body));
  } catch {
    const { offset, expected } = new Scanner(body).firstFault();
    return fail({ ...locate(body, offset), expected });
  }
}

/** A key that an object has twice: all values but the last would be lost. Its path and the place of the second. */
export function findRepeatedKey(text: string): { line: number; column: number; key: string } | undefined {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const scanner = new Scanner(body);
  scanner.firstFault();
  const { repeated } = scanner;
  return repeated && { ...locate(body, repeated.offset), key: repeated.key };
}

function locate(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const maxNesting = 200;

interface Fault {
  offset: number;
  expected: string;
}

/** A JSON grammar that keeps nothing but keys: it finds the first invalid position and the first repeated key. */
class Scanner {
  #offset = 0;
  readonly #path: string[] = [];
  repeated: { offset: number; key: string } | undefined;

  constructor(private readonly text: string) {}

  firstFault(): Fault {
    const fault = this.#value(0) ?? this.#end();
    return fault ?? { offset: this.#offset, expected: 'a JSON value' };
  }

  #value(depth: number): Fault | undefined {
    if (depth > maxNesting) return this.#fault(`nesting of at most ${maxNesting} levels`);
    this.#skipSpace();
    const character = this.text[this.#offset];
    if (character === '{') {
      const keys = new Set<string>();
      return this.#items('}', () => this.#member(depth, keys));
    }
    if (character === '[') return this.#items(']', () => this.#value(depth + 1));
    if (character === '"') return this.#string();
    return this.#take(/(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y)
      ? undefined
      : this.#fault(this.#isComment() ? 'no comment (JSON does not allow comments)' : 'a value');
  }

  #items(close: '}' | ']', item: () => Fault | undefined): Fault | undefined {
    this.#offset++;
    this.#skipSpace();
    if (this.#accept(close)) return undefined;
    for (;;) {
      const fault = item();
      if (fault) return fault;
      this.#skipSpace();
      if (this.#accept(close)) return undefined;
      if (!this.#accept(','))
        return this.#fault(
          this.#isComment() ? 'no comment (JSON does not allow comments)' : `"," or "${close}"`,
        );
    }
  }

  #member(depth: number, keys: Set<string>): Fault | undefined {
    this.#skipSpace();
    if (this.text[this.#offset] !== '"')
      return this.#fault(
        this.#isComment() ? 'no comment (JSON does not allow comments)' : 'a key in double quotes',
      );
    const start = this.#offset;
    const fault = this.#string();
    if (fault) return fault;
    const key = String(JSON.parse(this.text.slice(start, this.#offset)));
    this.#path.push(key);
    if (keys.has(key)) this.repeated ??= { offset: start, key: this.#path.join('.') };
    keys.add(key);
    this.#skipSpace();
    const problem = this.#accept(':') ? this.#value(depth + 1) : this.#fault('":" after the key');
    this.#path.pop();
    return problem;
  }

  #string(): Fault | undefined {
    this.#offset++;
    for (;;) {
      this.#take(/[^"\\\u0000-\u001F]+/y);
      if (this.#accept('"')) return undefined;
      if (!this.#take(/\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y)) return this.#fault('the end of the string');
    }
  }

  #end(): Fault | undefined {
    this.#skipSpace();
    return this.#offset < this.text.length ? this.#fault('the end of the file') : undefined;
  }

  #skipSpace(): void {
    this.#take(/[ \t\r\n]+/y);
  }

  #isComment(): boolean {
    return /^(?:\/\/|\/\*|#)/.test(this.text.slice(this.#offset, this.#offset + 2));
  }

  #accept(character: string): boolean {
    if (this.text[this.#offset] !== character) return false;
    this.#offset++;
    return true;
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#offset;
    const match = pattern.exec(this.text);
    if (!match) return false;
    this.#offset += match[0].length;
    return true;
  }

  #fault(expected: string): Fault {
    return { offset: this.#offset, expected };
  }
}
