/** The largest line of input; a longer one is refused rather than buffered. */
const lineLimit = 32 * 1024 * 1024;

export type InputLine = { number: number } & (
  | { text: string }
  | { tooLong: true }
  /** The stream failed; nothing follows. */
  | { failed: unknown }
);

/** Lines of a byte stream, numbered from 1; blank ones are left out. A last line without an end is included. */
export async function* readLines(open: () => AsyncIterable<Uint8Array>): AsyncGenerator<InputLine> {
  let number = 0;
  try {
    for await (const line of splitLines(open())) {
      number = line.number;
      yield line;
    }
  } catch (failed) {
    yield { number: number + 1, failed };
  }
}

async function* splitLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<InputLine> {
  const decoder = new TextDecoder();
  // The pieces of a line are joined once, at its end: joined as they come, each would cost what came before it.
  let pieces: string[] = [];
  let length = 0;
  let number = 0;
  for await (const chunk of input) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n');
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      const text = pieces.join('') + line;
      pieces = [];
      length = 0;
      number++;
      if (text.length > lineLimit) return yield { number, tooLong: true };
      if (text.trim() !== '') yield { number, text };
    }
    pieces.push(rest);
    length += rest.length;
    if (length > lineLimit) return yield { number: number + 1, tooLong: true };
  }
  const text = pieces.join('') + decoder.decode();
  if (text.trim() !== '') yield { number: number + 1, text };
}
