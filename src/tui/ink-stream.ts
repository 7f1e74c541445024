import { onlyPaint } from './text/index.ts';

/** No character of any text: in what is shown it is written out. */
const edge = '\ufdd0';
const marks = new RegExp(`${edge}(\\d+)${edge}`, 'g');

/** What Ink writes in the place of a text. */
export function markOf(number: number): string {
  return `${edge}${number}${edge}`;
}

/**
 * The terminal for one of Ink's screens: Ink keeps one for each stream that it knows. Text that is laid out already is not
 * given to Ink, which would lay it out once more, character by character: Ink writes a mark, and here the text takes its
 * place, in the same breath as the frame below it.
 */
export function inkStream(
  stream: NodeJS.WriteStream,
  textOf: (number: number) => string | undefined = () => undefined,
): NodeJS.WriteStream {
  const write = (chunk: string, ...more: []) =>
    stream.write(
      chunk.replace(marks, (_, number: string) => onlyPaint(textOf(Number(number)) ?? '')),
      ...more,
    );
  return new Proxy(stream, {
    get(target, name) {
      if (name === 'write') return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
