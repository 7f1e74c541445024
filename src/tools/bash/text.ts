/** Text cut in the middle. */
export interface BoundedText {
  text: string;
  /** Only its end. */
  tail: string;
  size: number;
  isWhole: boolean;
}

/**
 * Joins the first and the last bytes of an output of `size` bytes into at most `most` characters. If `end` is empty,
 * `start` is all there was.
 */
export function boundPieces(start: Buffer, end: Buffer, size: number, most: number): BoundedText {
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

// Operating-system commands and strings end with BEL or ST; then control sequences; then other two-byte escapes.
const escapes = /\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]/g;

/** Colours and cursor movements: they mean nothing outside a terminal. */
const drawing = /^\x1b(?:\[[\d;:]*[A-KSTXdfm]|\[\?(?:25|2026)[hl]|[()][0AB]|[78=>M])$/;

/**
 * Removes colours, moves and control characters; of an overwritten line, as in progress bars, keeps the last state. Any
 * other escape could affect the terminal that shows it, so it is written out visibly.
 */
export function safeText(text: string): string {
  const plain = text.includes('\x1b')
    ? text.replace(escapes, (found) => (drawing.test(found) ? '' : writtenOut(found)))
    : text;
  const lines = plain.includes('\r') ? plain.split('\n').map(lastState).join('\n') : plain;
  return lines.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '');
}

function writtenOut(found: string): string {
  return found.replace(/[\x00-\x1f]/g, (one) => String.fromCharCode(0x2400 + one.charCodeAt(0)));
}

function lastState(line: string): string {
  const end = line.replace(/\r+$/, '');
  return end.slice(end.lastIndexOf('\r') + 1);
}

/** Many NULs: not text, and useless to a model. */
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

/** The rest of the text from the next whole line on, unless that loses too much. */
function atLine(text: string, from: number): string {
  if (from === 0) return text;
  const newline = text.indexOf('\n', from);
  const isNear = newline !== -1 && newline - from < 1000;
  return text.slice(isNear ? newline + 1 : from);
}
