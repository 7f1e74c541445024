/** The largest line of input; a longer one is refused rather than buffered. */
const lineLimit = 32 * 1024 * 1024;

export type InputLine = { number: number; text: string } | { number: number; tooLong: true };

/** Lines of a byte stream, numbered from 1; blank ones are left out. A last line without an end is included. */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<InputLine> {
  const decoder = new TextDecoder();
  let pending = '';
  let number = 0;
  for await (const chunk of input) {
    pending += decoder.decode(chunk, { stream: true });
    for (let end = pending.indexOf('\n'); end >= 0; end = pending.indexOf('\n')) {
      const text = pending.slice(0, end);
      pending = pending.slice(end + 1);
      number++;
      if (text.trim() !== '') yield { number, text };
    }
    if (pending.length > lineLimit) {
      yield { number: number + 1, tooLong: true };
      return;
    }
  }
  pending += decoder.decode();
  if (pending.trim() !== '') yield { number: number + 1, text: pending };
}
