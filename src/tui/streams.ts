/** No character of any text: in what is shown it is written out. */
const edge = '\ufdd0';
const marks = new RegExp(`${edge}(\\d+)${edge}`, 'g');

/** What Ink writes in the place of a text. */
export function formatTextMark(number: number): string {
  return `${edge}${number}${edge}`;
}

/**
 * The terminal for the conversation. Text that is laid out already is not given to Ink, which would lay it out once more,
 * character by character: Ink writes a mark, and here the text takes its place, in the same breath as the frame below it.
 * Ink does not hear of another size either: it could erase only its own frame, and not where that stands by then.
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

/** A terminal that can do nothing but print: it gets no escapes at all. */
export function dumbStream(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = (chunk: string, ...more: []) => stream.write(chunk.replace(escapes, ''), ...more);
  return otherStream(stream, { write });
}

const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|.)/g;

/** The same terminal for another screen: Ink keeps one for each stream that it knows. */
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
