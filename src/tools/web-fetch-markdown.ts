/** Puts Markdown together line by line: white space as a browser would show it, prefixes of lists and quotations. */
export class MarkdownWriter {
  readonly #lines: string[] = [];
  #line = '';
  /** What the next text of a block begins with: `# `, `- `. */
  #lead = '';
  #isItem = false;
  #wantsSpace = false;
  #code = 0;
  #quotes = 0;
  readonly #lists: { ordered: boolean; count: number }[] = [];
  #row: { cells: string[]; isHead: boolean } | undefined;
  #rowsBefore = 0;

  text(text: string): void {
    if (this.#code > 0) {
      const [first = '', ...others] = text.split(/\r?\n/);
      this.#line += first;
      for (const line of others) {
        this.#endLine();
        this.#line = line;
      }
      return;
    }
    const squeezed = text.replace(/[\s\u00a0]+/g, ' ');
    if (squeezed === '' || squeezed === ' ') {
      this.#wantsSpace ||= squeezed !== '' && this.#line !== '';
      return;
    }
    if (squeezed.startsWith(' ')) this.#wantsSpace ||= this.#line !== '';
    this.#write(squeezed.trim());
    this.#wantsSpace = squeezed.endsWith(' ');
  }

  /** A sign of ours before a word: `[`, `**`. */
  mark(sign: string): void {
    if (this.#code === 0 || sign !== '`') this.#write(sign);
  }

  /** A sign behind one. A link without a word is none. */
  closeMark(sign: string): void {
    if (this.#line === '' || (this.#code > 0 && sign === '`')) return;
    this.#line =
      this.#line.endsWith('[') && sign.startsWith('](') ? this.#line.slice(0, -1) : this.#line + sign;
  }

  /** A new paragraph, which may begin with a sign. In a table it only separates words. */
  block(lead = ''): void {
    if (this.#row) {
      this.#wantsSpace = true;
      return;
    }
    // The first paragraph of a list item stands beside the item's sign.
    if (lead === '' && this.#line === '' && this.#isItem) return;
    this.#endLine();
    if (this.#lists.length === 0) this.#blank();
    this.#lead = lead;
  }

  rule(): void {
    this.block();
    if (!this.#row) this.#lines.push(`${this.#prefix()}---`, '');
  }

  lineBreak(): void {
    if (this.#row) this.#wantsSpace = true;
    else if (this.#line !== '') this.#endLine();
  }

  openList(ordered: boolean): void {
    if (this.#row) {
      this.#wantsSpace = true;
      return;
    }
    this.#endLine();
    if (this.#lists.length === 0) this.#blank();
    if (this.#lists.length < maxNested) this.#lists.push({ ordered, count: 0 });
  }

  closeList(): void {
    if (this.#row) return;
    this.#endLine();
    this.#lists.pop();
    if (this.#lists.length === 0) this.#blank();
  }

  item(): void {
    if (this.#row) {
      this.#wantsSpace = true;
      return;
    }
    this.#endLine();
    const list = this.#lists.at(-1);
    if (list) list.count++;
    this.#lead = `${'  '.repeat(Math.max(0, this.#lists.length - 1))}${list?.ordered ? `${list.count}.` : '-'} `;
    this.#isItem = true;
  }

  openQuote(): void {
    this.block();
    if (this.#quotes < maxNested) this.#quotes++;
  }

  closeQuote(): void {
    this.block();
    this.#quotes = Math.max(0, this.#quotes - 1);
  }

  openCode(): void {
    if (this.#code++ > 0) return;
    this.#row = undefined;
    this.#endLine();
    this.#blank();
    this.#lines.push(`${this.#prefix()}\`\`\``);
  }

  closeCode(): void {
    if (this.#code === 0 || --this.#code > 0) return;
    if (this.#line !== '') this.#endLine();
    this.#lines.push(`${this.#prefix()}\`\`\``);
    this.#blank();
  }

  row(): void {
    this.endRow();
    this.#endLine();
    this.#row = { cells: [], isHead: false };
  }

  cell(isHead: boolean): void {
    if (!this.#row) {
      this.block();
      return;
    }
    this.#endCell();
    this.#row.cells.push('');
    this.#row.isHead ||= isHead;
  }

  endRow(): void {
    const row = this.#row;
    if (!row) return;
    this.#endCell();
    this.#row = undefined;
    if (row.cells.every((cell) => cell === '')) return;
    if (this.#lines.at(-1)?.trimStart().startsWith('|') !== true) this.#rowsBefore = 0;
    this.#lines.push(`${this.#prefix()}| ${row.cells.join(' | ')} |`);
    if (row.isHead && this.#rowsBefore === 0)
      this.#lines.push(`${this.#prefix()}|${row.cells.map(() => ' --- |').join('')}`);
    this.#rowsBefore++;
  }

  finish(): string {
    this.endRow();
    this.#endLine();
    return this.#lines
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }

  #write(text: string): void {
    if (this.#line === '') {
      this.#line = this.#lead;
      this.#lead = '';
      this.#isItem = false;
    } else if (this.#wantsSpace && !this.#line.endsWith(' ')) this.#line += ' ';
    this.#wantsSpace = false;
    this.#line += text;
  }

  #endCell(): void {
    const row = this.#row;
    if (row && row.cells.length > 0)
      row.cells[row.cells.length - 1] = this.#line.trim().replaceAll('|', '\\|');
    this.#line = '';
    this.#wantsSpace = false;
  }

  #endLine(): void {
    if (this.#code > 0 || this.#line.trim() !== '') this.#lines.push(this.#prefix() + this.#line.trimEnd());
    this.#line = '';
    this.#lead = '';
    this.#isItem = false;
    this.#wantsSpace = false;
  }

  #blank(): void {
    if (this.#lines.length > 0 && this.#lines.at(-1) !== '') this.#lines.push('');
  }

  #prefix(): string {
    return '> '.repeat(this.#quotes);
  }
}

/** Deeper nesting is not shown: a page could nest without end. */
const maxNested = 12;
