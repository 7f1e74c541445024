import { type Told, untold } from '../../lib/told.ts';

/** Commands without an argument that only move text between the spaces, or to the output. */
const plain = 'pdqQnNDPGHghx=lFz';

/** Why the scripts of one command are not known to change nothing: sed reads them as lines of one script. */
export function findScriptsFault(scripts: readonly Told<string>[]): string | undefined {
  const alone = scripts.map(findSedFault).find((fault) => fault !== undefined);
  return alone ?? (scripts.length > 1 ? findSedFault(scripts.join('\n')) : undefined);
}

/**
 * Why a sed script is not known to change nothing. Parsed by its own grammar: `w`, `W`, `e`, `r`, `R`, and the flags `w` and
 * `e` of `s`, are not in it.
 */
function findSedFault(script: Told<string>): string | undefined {
  if (script === untold) return 'a computed sed script';
  const reader = new Reader(script);
  let open = 0;
  for (;;) {
    reader.skip(/[\s;]/);
    if (reader.done()) return open === 0 ? undefined : unread;
    if (reader.take('#')) {
      reader.skip(/[^\n]/);
      continue;
    }
    if (!reader.address()) return unread;
    const command = reader.next();
    if (command === '{') open++;
    else if (command === '}') open--;
    else if (!readCommand(command, reader))
      return `sed with the command ${JSON.stringify(command)} may write files or run programs`;
    if (open < 0) return unread;
    // `}` may come right after a command.
    if (command !== '{' && !reader.atEnd()) return unread;
  }
}

const unread = 'the sed script may write files or run programs';

function readCommand(command: string, reader: Reader): boolean {
  if (command === 's') return reader.delimited(2) && reader.flags(/[gpiImM0-9]/);
  if (command === 'y') return reader.delimited(2);
  if (command === 'q' || command === 'Q' || command === 'l') return reader.flags(/[ 0-9]/);
  if (command !== '' && plain.includes(command)) return true;
  if (command === ':' || command === 'b' || command === 't' || command === 'T') {
    reader.skip(/[ \t]/);
    reader.skip(/[\w.-]/);
    return true;
  }
  if (command === 'a' || command === 'i' || command === 'c') {
    // Text up to the end of the line; a backslash would include the next one.
    const text = reader.line();
    return !text.replace(/^\s*\\\n?/, '').includes('\\') && text.trim() !== '';
  }
  return false;
}

/**
 * The files that a script reads or writes by its commands `r`, `R`, `w` and `W` and by the flag `w` of `s`. Where the script
 * is not understood, the rest of each line behind such a letter counts.
 */
export function listScriptFiles(script: string): readonly string[] {
  const reader = new Reader(script);
  const files: string[] = [];
  for (;;) {
    reader.skip(/[\s;{}]/);
    if (reader.done()) return files;
    if (reader.take('#')) {
      reader.line();
      continue;
    }
    const isUnderstood = reader.address() && readFiles(reader, files);
    if (!isUnderstood) return [...script.matchAll(/[rRwW][ \t]*(?=(.+))/g)].map(([, name = '']) => name);
  }
}

/** Whether the next command was understood; the names of its files are added. */
function readFiles(reader: Reader, files: string[]): boolean {
  const command = reader.next();
  if (/[rRwW]/.test(command)) {
    reader.skip(/[ \t]/);
    files.push(reader.line());
    return true;
  }
  if (/[{}]/.test(command)) return true;
  if (command !== 's') return readCommand(command, reader) && reader.atEnd();
  if (!reader.delimited(2)) return false;
  reader.flags(/[gpiImMe0-9]/);
  if (reader.take('w')) {
    reader.skip(/[ \t]/);
    files.push(reader.line());
    return true;
  }
  return reader.atEnd();
}

class Reader {
  #at = 0;
  constructor(readonly text: string) {}

  done(): boolean {
    return this.#at >= this.text.length;
  }

  next(): string {
    return this.text[this.#at++] ?? '';
  }

  take(character: string): boolean {
    if (this.text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  skip(kind: RegExp): void {
    while (!this.done() && kind.test(this.text[this.#at] ?? '')) this.#at++;
  }

  flags(kind: RegExp): boolean {
    this.skip(kind);
    return true;
  }

  line(): string {
    const start = this.#at;
    this.skip(/[^\n]/);
    return this.text.slice(start, this.#at);
  }

  /** After a command only blanks, `;`, a newline, `}` or `#` are allowed. */
  atEnd(): boolean {
    this.skip(/[ \t]/);
    return this.done() || /[\n;}#]/.test(this.text[this.#at] ?? '');
  }

  address(): boolean {
    if (!this.#oneAddress()) return false;
    this.skip(/[ \t]/);
    if (this.take(',')) {
      this.skip(/[ \t]/);
      if (this.take('+') || this.take('~')) this.skip(/\d/);
      else if (!this.#oneAddress()) return false;
      this.skip(/[ \t]/);
    }
    while (this.take('!')) this.skip(/[ \t]/);
    return true;
  }

  #oneAddress(): boolean {
    if (this.take('$')) return true;
    if (/\d/.test(this.text[this.#at] ?? '')) {
      this.skip(/\d/);
      if (this.take('~')) this.skip(/\d/);
      return true;
    }
    if (this.text[this.#at] === '/' || this.text[this.#at] === '\\') {
      if (this.text[this.#at] === '\\') this.#at++;
      if (!this.delimited(1)) return false;
      this.skip(/[IM]/);
    }
    return true;
  }

  /** `count` parts, each closed by the character that opens them. Inside brackets, seds disagree about it. */
  delimited(count: number): boolean {
    const delimiter = this.next();
    if (!/^[!-/:-@[-`{-~]$/.test(delimiter) || delimiter === '\\' || delimiter === '[') return false;
    for (let part = 0; part < count; part++) {
      for (let closed = false; !closed; ) {
        if (this.done()) return false;
        const character = this.next();
        if (character === '\n') return false;
        if (character === '\\') this.#at++;
        else if (character === delimiter) closed = true;
        else if (part === 0 && character === '[' && !this.#brackets(delimiter)) return false;
      }
    }
    return true;
  }

  /** The rest of `[…]`, in which a `]` at the beginning and classes such as `[:alpha:]` do not end it. */
  #brackets(delimiter: string): boolean {
    const rest = this.text.slice(this.#at);
    const end = /^\^?\]?(?:\[:\w+:\]|[^\][\\\n]|\\[^\]\n])*\]/.exec(rest)?.[0];
    if (end === undefined || end.includes(delimiter)) return false;
    this.#at += end.length;
    return true;
  }
}
