/**
 * How a shell reads one position of a command: as a separate word, inside one of three kinds of quotes, in a
 * here-document, or as something that it evaluates again (arithmetic, subscripts), where no text is safe.
 */
export type ShellContext = 'bare' | 'double' | 'single' | 'ansi' | 'here' | 'unsafe';

interface Frame {
  kind: 'bare' | 'double' | 'single' | 'ansi' | 'math';
  /** The text that ends it, if that is not its quote. */
  close?: string;
  /** Open brackets of its own kind inside it. */
  depth?: number;
}

/**
 * The context of each position of a command, by bash's rules. Good enough to insert an argument so that it arrives
 * unchanged; nothing else depends on it, and `unsafe` keeps an argument out of the text.
 */
export function shellContexts(command: string): ShellContext[] {
  return new Scan(command).contexts;
}

class Scan {
  readonly contexts: ShellContext[] = [];
  readonly #frames: Frame[] = [{ kind: 'bare' }];
  readonly #pending: { word: string; isQuoted: boolean; stripsTabs: boolean }[] = [];
  #at = 0;
  /** Up to here a test compares numbers. */
  #numbersUntil = 0;

  constructor(private readonly text: string) {
    while (this.#at < text.length) this.#step();
  }

  #step(): void {
    const frame = this.#frames.at(-1) ?? { kind: 'bare' };
    const { kind } = frame;
    if (kind === 'single') return void this.#take(1, this.text[this.#at] === "'");
    if (this.text[this.#at] === '\\') return void this.#take(2);
    if (kind === 'ansi') return void this.#take(1, this.text[this.#at] === "'");
    if (kind === 'math') return void this.#inMath(frame);
    if (this.#expands()) return;
    if (kind === 'double') return void this.#take(1, this.text[this.#at] === '"');
    this.#inBare(frame);
  }

  /** Openings by a dollar sign or a backtick, inside and outside double quotes. */
  #expands(): boolean {
    const isBare = this.#frames.at(-1)?.kind === 'bare';
    if (this.#sees('$((')) this.#open(3, { kind: 'math', close: '()', depth: 2 });
    else if (this.#sees('$[')) this.#open(2, { kind: 'math', close: '[]', depth: 1 });
    else if (this.#sees('${')) this.#open(2, { kind: 'math', close: '{}', depth: 1 });
    else if (this.#sees('$(')) this.#open(2, { kind: 'bare', close: ')' });
    else if (isBare && this.#sees("$'")) this.#open(2, { kind: 'ansi' });
    else if (this.#sees('`')) {
      if (this.#frames.at(-1)?.close === '`') this.#take(1, true);
      else this.#open(1, { kind: 'bare', close: '`' });
    } else return false;
    return true;
  }

  #inMath(frame: Frame): void {
    const [open, close] = frame.close ?? '';
    const here = this.text[this.#at];
    const depth = (frame.depth ?? 0) + (here === open ? 1 : here === close ? -1 : 0);
    frame.depth = depth;
    this.#take(1, depth === 0);
  }

  #inBare(frame: Frame): void {
    const here = this.text[this.#at];
    const before = this.text[this.#at - 1] ?? '\n';
    if (here === "'") return void this.#open(1, { kind: 'single' });
    if (here === '"') return void this.#open(1, { kind: 'double' });
    if (here === '#' && /[\s;&|(]/.test(before)) return void this.#take(this.#toEndOfLine());
    if (this.#sees('((')) return void this.#open(2, { kind: 'math', close: '()', depth: 2 });
    if (here === '[' && /\w/.test(before)) return void this.#open(1, { kind: 'math', close: '[]', depth: 1 });
    if (here === '(') return void this.#open(1, { kind: 'bare', close: ')' });
    if (here === ')') return void this.#take(1, frame.close === ')');
    if (this.#sees('[[') && /[\s;&|(!]/.test(before)) this.#noteTest();
    if (this.#sees('<<<')) return void this.#take(3);
    if (this.#sees('<<')) return void this.#hereDocument();
    this.#take(1);
    if (here === '\n') this.#takeBodies();
  }

  #noteTest(): void {
    const end = this.text.indexOf(']]', this.#at);
    const inside = this.text.slice(this.#at, end < 0 ? undefined : end);
    if (/\s-(?:eq|ne|lt|le|gt|ge|v|R)\s/.test(inside)) this.#numbersUntil = this.#at + inside.length;
  }

  #hereDocument(): void {
    const found = /^<<(-?)[ \t]*((?:\\.|'[^']*'|"[^"]*"|[^\s;&|()<>'"\\])+)/s.exec(this.text.slice(this.#at));
    if (!found) return void this.#take(2);
    const [whole, dash, word = ''] = found;
    const isQuoted = /['"\\]/.test(word);
    this.#pending.push({ word: word.replace(/['"\\]/g, ''), isQuoted, stripsTabs: dash === '-' });
    this.#take(whole.length);
  }

  #takeBodies(): void {
    for (const { word, isQuoted, stripsTabs } of this.#pending.splice(0)) {
      const start = this.#at;
      let end = start;
      for (let isOver = false; !isOver && end < this.text.length; ) {
        this.#at = end;
        const line = this.text.slice(end, end + this.#toEndOfLine());
        isOver = (stripsTabs ? line.replace(/^\t+/, '') : line) === word;
        end += line.length + 1;
      }
      this.#at = start;
      const body = this.text.slice(start, end);
      this.#take(body.length, false, isQuoted || /\$\(|\$\{|`/.test(body) ? 'unsafe' : 'here');
    }
  }

  #toEndOfLine(): number {
    const end = this.text.indexOf('\n', this.#at);
    return (end < 0 ? this.text.length : end) - this.#at;
  }

  #sees(what: string): boolean {
    return this.text.startsWith(what, this.#at);
  }

  #open(length: number, frame: Frame): void {
    this.#take(length);
    this.#frames.push(frame);
  }

  #take(length: number, closes = false, context = this.#context()): void {
    for (let taken = 0; taken < length; taken++) this.contexts[this.#at++] = context;
    if (closes && this.#frames.length > 1) this.#frames.pop();
  }

  #context(): ShellContext {
    if (this.#at < this.#numbersUntil || this.#frames.some(({ kind }) => kind === 'math')) return 'unsafe';
    const kind = this.#frames.at(-1)?.kind ?? 'bare';
    return kind === 'math' ? 'unsafe' : kind;
  }
}
