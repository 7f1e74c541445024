/** Cannot appear in text: `visible` writes it out. */
const edge = '\ufdd0';
const marks = new RegExp(`${edge}(\\d+)${edge}`, 'g');

/** The mark that Ink writes in place of the text. */
export function formatTextMark(number: number): string {
  return `${edge}${number}${edge}`;
}

/**
 * The terminal for the conversation. Text that is already laid out does not go through Ink, which would lay it out again
 * character by character: Ink writes a mark, and the text replaces it here, in the same write as the frame below it.
 * Ink does not hear about a resize either: it could only erase its own frame, which is no longer where it was.
 */
export function markedStream(
  stream: NodeJS.WriteStream,
  readText: (number: number) => string | undefined,
): NodeJS.WriteStream {
  const write = (chunk: string, ...more: []) =>
    stream.write(
      chunk.replace(marks, (_, number: string) => readText(Number(number)) ?? ''),
      ...more,
    );
  const on = (event: string, listener: () => void) =>
    event === 'resize' ? stream : stream.on(event, listener);
  return otherStream(stream, { write, on });
}

/** A terminal that can only print: it gets no escapes at all. */
export function dumbStream(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = (chunk: string, ...more: []) => stream.write(chunk.replace(escapes, ''), ...more);
  return otherStream(stream, { write });
}

const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|.)/g;

/** The same terminal for another screen: Ink keeps one instance per stream. */
export function otherStream(
  stream: NodeJS.WriteStream,
  own: Readonly<Record<string, unknown>> = {},
): NodeJS.WriteStream {
  return new Proxy(stream, {
    get(target, name) {
      if (typeof name === 'string' && name in own) return own[name];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
