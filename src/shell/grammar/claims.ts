interface Span {
  readonly pos: number;
  readonly end: number;
}

/** What accounts for each character of a text. */
const free = 0;
const taken = 1;
const opener = 2;
const closer = 3;

/** The characters of a script that nodes of its tree account for, and whether those that are left mean anything. */
export class Claims {
  readonly #marks: Uint8Array;
  readonly #borders: Span[] = [];
  #refused: number | undefined;

  constructor(readonly source: string) {
    this.#marks = new Uint8Array(source.length);
  }

  /** Only where the text has this form: else it stays unclaimed. */
  claim({ pos, end }: Span, form: RegExp): void {
    if (form.test(this.source.slice(pos, end))) this.#marks.fill(taken, pos, end);
  }

  /** The beginning of a substitution: the first word in it stands behind no other. */
  open({ pos, end }: Span, form: RegExp): void {
    if (form.test(this.source.slice(pos, end))) this.#marks.fill(opener, pos, end);
  }

  close({ pos, end }: Span, form: RegExp): void {
    if (form.test(this.source.slice(pos, end))) this.#marks.fill(closer, pos, end);
  }

  /** A word must end where the tree says so. */
  addBorders({ pos, end }: Span): void {
    this.#borders.push({ pos, end });
  }

  /** The text of a node without that of its children, each of which is a NUL. */
  between({ pos, end }: Span, children: readonly Span[]): string {
    let [text, at] = ['', pos];
    for (const child of children) {
      if (child.pos < at || child.end > end) return '?';
      text += `${this.source.slice(at, child.pos)}${child.end > child.pos ? '\0' : ''}`;
      at = child.end;
    }
    return text + this.source.slice(at, end);
  }

  /** All of that but blanks, which part words. */
  claimBetween({ pos, end }: Span, children: readonly Span[]): void {
    let at = pos;
    for (const child of [...children, { pos: end, end }]) {
      for (; at < child.pos; at++) if (!/[ \t\n]/.test(this.source[at] ?? '')) this.#marks[at] = taken;
      at = child.end;
    }
  }

  /** Here something is missing, whatever the text is. */
  refuse(at: number): void {
    this.#refused ??= at;
  }

  /** The first text that nothing accounts for. */
  findRest(): string | undefined {
    if (this.#refused !== undefined) return this.source.slice(this.#refused).slice(0, maxShown);
    const glued = this.#borders.find((border) => this.#isGlued(border));
    if (glued) return this.source.slice(glued.pos, glued.end + 1).slice(0, maxShown);
    const { source } = this;
    for (let at = 0; at < source.length; ) {
      if (this.#marks[at] !== free) at++;
      else {
        const next = this.#skip(at);
        if (next === undefined) return source.slice(at, at + maxShown);
        at = next;
      }
    }
    return undefined;
  }

  /** Behind what may stand between words; undefined where it is something else. */
  #skip(at: number): number | undefined {
    const { source } = this;
    if (/[ \t\n;&|()]/.test(source[at] ?? '')) return at + 1;
    if (source.startsWith('\\\n', at)) return at + 2;
    const isFirst = this.#standsFirst(at);
    if (source[at] === '#' && isFirst) return this.#skipComment(at);
    keyword.lastIndex = at;
    const [found] = keyword.exec(source) ?? [];
    if (found === undefined || !isFirst) return undefined;
    const end = at + found.length;
    if (this.#marks.subarray(at, end).some((mark) => mark !== free)) return undefined;
    return this.#endsWord(end) ? end : undefined;
  }

  /** A comment ends with its line, or with the backquotes around it. Nothing in it is a part of the tree. */
  #skipComment(at: number): number | undefined {
    let end = at;
    while (end < this.source.length && this.source[end] !== '\n' && this.#marks[end] === free) end++;
    const isEnd = end === this.source.length || this.source[end] === '\n' || this.#marks[end] === closer;
    return isEnd ? end : undefined;
  }

  #isGlued({ pos, end }: Span): boolean {
    return !this.#standsFirst(pos) || !this.#endsWord(end);
  }

  /** Whether a word can begin here: behind a blank, an operator or the beginning of a substitution. */
  #standsFirst(at: number): boolean {
    let before = at;
    while (this.source.slice(before - 2, before) === '\\\n') before -= 2;
    if (before <= 0 || this.#marks[before - 1] === opener) return true;
    return this.#marks[before - 1] === free && /[ \t\n;&|()]/.test(this.source[before - 1] ?? '');
  }

  #endsWord(at: number): boolean {
    let behind = at;
    while (this.source.startsWith('\\\n', behind)) behind += 2;
    if (behind >= this.source.length || this.#marks[behind] === closer) return true;
    const sign = this.source[behind] ?? '';
    return this.#marks[behind] === free ? /[ \t\n;&|()]/.test(sign) : /[<>&]/.test(sign);
  }
}

const maxShown = 40;
const keyword =
  /(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|in|select|function|coproc|\{|\}|\[\[|\]\])(?!\w)/y;
