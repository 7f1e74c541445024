import { findTokenMark, maskTokens, TokenStream } from './mask-tokens.ts';
import { minNeedleLength, type Needle, Needles } from './needles.ts';

/** A secret value, and the name that users know it by. */
export interface NamedSecret {
  readonly name: string;
  readonly value: string;
}

/** Hides secrets in data that arrives in pieces, including a value that is split between two. */
export interface StreamMask {
  add(chunk: Uint8Array): Uint8Array;
  /** The bytes held back because they might have begun a secret. */
  end(): Uint8Array;
}

/**
 * The secrets known to a session. Each is replaced by a mark that is always the same, so that text once masked stays the same
 * bytes. It finds the value itself and the forms in which programs commonly print it: as JSON, percent-encoded, in base64. It
 * also finds tokens by their format alone, wherever they come from. Not a protection against deliberate leaks: any other
 * encoding passes.
 */
export class Secrets {
  readonly #needles = new Map<string, string>();
  readonly #values = new Set<string>();
  #texts: Needles | undefined;
  #bytes: Needles | undefined;

  /** Values of fewer than eight characters are ignored: they would be found everywhere. */
  add(secrets: readonly NamedSecret[]): void {
    for (const { name, value } of secrets) {
      if (value.length < minNeedleLength) continue;
      this.#values.add(value);
      for (const form of listForms(value))
        if (!this.#needles.has(form)) this.#needles.set(form, formatMark(name));
    }
    this.#texts = this.#bytes = undefined;
  }

  /** The plain values, for callers that must keep them out by other means. */
  get values(): readonly string[] {
    return [...this.#values];
  }

  hide(text: string): string {
    if (text.length < minNeedleLength) return text;
    if (this.#needles.size === 0) return maskTokens(text);
    this.#texts ??= new Needles(this.#all((form) => form));
    return maskTokens(this.#texts.replace(text));
  }

  /** Any JSON value. */
  hideIn<T>(value: T): T {
    return this.#hidePart(value) as T;
  }

  openStream(): StreamMask {
    if (this.#needles.size === 0) return tokenStream();
    // One character per byte: binary data passes unchanged.
    this.#bytes ??= new Needles(this.#all((form) => Buffer.from(form).toString('latin1')));
    const [values, tokens] = [maskStream(this.#bytes), tokenStream()];
    return {
      add: (chunk) => tokens.add(values.add(chunk)),
      end: () => Buffer.concat([tokens.add(values.end()), tokens.end()]),
    };
  }

  /** The mark of a known secret in a string: writing it to a file would lose the secret there. */
  findMark(text: string): string | undefined {
    if (!text.includes('[masked: ')) return undefined;
    return [...this.#needles.values()].find((mark) => text.includes(mark)) ?? findTokenMark(text);
  }

  #all(written: (form: string) => string): Needle[] {
    return [...this.#needles].map(([form, mark]) => ({ text: written(form), mark }));
  }

  #hidePart(part: unknown): unknown {
    if (typeof part === 'string') return this.hide(part);
    if (Array.isArray(part)) return part.map((inner) => this.#hidePart(inner));
    if (typeof part !== 'object' || part === null || ArrayBuffer.isView(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, inner]) => [this.hide(key), this.#hidePart(inner)]),
    );
  }
}

/** Without characters that could form a tag, JSON or one of our names. */
function formatMark(name: string): string {
  return `[masked: ${name.replace(/[^\w .-]/g, '').slice(0, 80)}]`;
}

function tokenStream(): StreamMask {
  const tokens = new TokenStream();
  return {
    add(chunk) {
      const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
      const wasHolding = tokens.isHolding;
      const shown = tokens.add(text);
      return !wasHolding && shown === text ? chunk : Buffer.from(shown, 'latin1');
    },
    end: () => Buffer.from(tokens.end(), 'latin1'),
  };
}

function maskStream(needles: Needles): StreamMask {
  let held = '';
  return {
    add(chunk) {
      const text = held + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
      let shown = '';
      let done = 0;
      for (let found = needles.find(text, 0); found; found = needles.find(text, done)) {
        shown += text.slice(done, found.at) + found.needle.mark;
        done = found.at + found.needle.text.length;
      }
      const end = needles.beginning(text, done);
      if (done === 0 && end === text.length && held === '') return chunk;
      held = text.slice(end);
      return Buffer.from(shown + text.slice(done, end), 'latin1');
    },
    end() {
      const rest = Buffer.from(held, 'latin1');
      held = '';
      return rest;
    },
  };
}

function listForms(value: string): string[] {
  // A key of several lines is shown with numbers before each line: every long line reveals it.
  const lines = value.includes('\n')
    ? value.split(/\r?\n/).filter((line) => /^[\w+/=]{32,}$/.test(line))
    : [];
  const forms = [
    value,
    ...lines,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    ...base64Forms(value),
  ];
  return [...new Set(forms)].filter((form) => form.length >= minNeedleLength);
}

/**
 * The base64 of a value at any position in a longer text: it depends on the position only modulo three. Characters that
 * depend on the bytes beside the value are left out.
 */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor(((offset + bytes.length) * 8) / 6);
    const form = encoded.slice(start, end);
    // Short ones are too likely to be something else.
    if (form.length < 12) return [];
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
