export interface FinishedOutput {
  text: string;
  notes: string[];
  /** The whole output, when the text is not the whole. */
  file?: string;
}

/** Where a command's output goes: a file, which is dropped again when all of it fits into the context. */
export interface ShellOutput {
  readonly target: number | ((chunk: Uint8Array) => void);
  /** To be called once the process has the file. */
  started(): void;
  size(): number;
  /** The newest output, for a live view. */
  tail(): string;
  finish(): FinishedOutput;
}

/** A text cut in the middle. */
export interface Bounded {
  text: string;
  /** The end of it alone. */
  tail: string;
  size: number;
  isWhole: boolean;
}

/**
 * Joins the first and the last bytes of an output of `size` bytes into at most `most` characters. When `end` is empty,
 * `start` is all there was.
 */
export function boundPieces(start: Buffer, end: Buffer, size: number, most: number): Bounded {
  const head = safeText(start.toString('utf8'));
  const rest = end.length === 0 ? head : safeText(fromWholeCharacter(end).toString('utf8'));
  const half = Math.floor(most / 2);
  const tail = atLine(rest, Math.max(0, rest.length - half));
  if (isBinary(start)) return { text: '', tail: '', size, isWhole: false };
  if (end.length === 0 && head.length <= most) return { text: head.trimEnd(), tail, size, isWhole: true };
  const cut = head.lastIndexOf('\n', half);
  const first = head.slice(0, cut > half / 2 ? cut : half);
  return {
    text: `${first}\n\n[… cut here: ${size} bytes in all …]\n\n${tail.trimEnd()}`,
    tail,
    size,
    isWhole: false,
  };
}

/** Head and tail in memory, for when there is no file to write to. */
export function memoryOutput(most: number): ShellOutput {
  const share = most * 4;
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let size = 0;
  const add = (chunk: Uint8Array) => {
    size += chunk.length;
    const room = share - head.length;
    if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)]);
    const rest = room > 0 ? chunk.subarray(room) : chunk;
    if (rest.length > 0) tail = Buffer.concat([tail, rest]).subarray(-share);
  };
  const bounded = () => boundPieces(head, tail, size, most);
  const note = 'The disk is full, so only this much of the output was kept';
  return {
    target: add,
    started: () => {},
    size: () => size,
    tail: () => bounded().tail.slice(-1000),
    finish: () => ({ text: bounded().text, notes: bounded().isWhole ? [] : [note] }),
  };
}

// Operating-system commands and strings end with BEL or ST; then control sequences; then other two-byte escapes.
const escapes = /\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]/g;

/** Without escape sequences and control characters; of a line that was overwritten, as progress bars are, its last state. */
export function safeText(text: string): string {
  const plain = text.includes('\x1b') ? text.replace(escapes, '') : text;
  const lines = plain.includes('\r') ? plain.split('\n').map(lastState).join('\n') : plain;
  return lines.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}

function lastState(line: string): string {
  const end = line.replace(/\r+$/, '');
  return end.slice(end.lastIndexOf('\r') + 1);
}

/** Many NULs: not a text, and nothing a model could use. */
function isBinary(bytes: Buffer): boolean {
  const sample = bytes.subarray(0, 4096);
  let zeros = 0;
  for (const byte of sample) if (byte === 0) zeros++;
  return zeros * 20 > sample.length;
}

function fromWholeCharacter(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}

/** The rest of a text from the next whole line on, unless that loses too much. */
function atLine(text: string, from: number): string {
  if (from === 0) return text;
  const newline = text.indexOf('\n', from);
  const isNear = newline !== -1 && newline - from < 1000;
  return text.slice(isNear ? newline + 1 : from);
}
