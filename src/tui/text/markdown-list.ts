import { measureIndent, readMarker } from './markdown-lines.ts';
import type { Inner } from './markdown-options.ts';
import type { Span } from './style.ts';

const bullets = ['•', '◦', '▪'];

/** One item with all its content. The number is kept as written, so an item can be shown alone. */
export function renderItem(lines: readonly string[], options: Inner): Span[][] {
  const [first = '', ...others] = lines;
  const marker = readMarker(first);
  if (!marker) return [];
  const outdented = others.map((line) => line.slice(Math.min(measureIndent(line), marker.content)));
  const { words } = options.theme;
  const [task, head] = readTaskMark(first.slice(marker.content), words === true);
  const inset = ' '.repeat(Math.min(marker.indent, 8));
  const mark = /\d/.test(marker.mark)
    ? marker.mark
    : words
      ? '-'
      : (bullets[options.depth % bullets.length] ?? '•');
  const lead = `${inset}${mark} ${task}`;
  const room = options.width - lead.length;
  // Too narrow for the prefix: the text goes below it.
  const isNarrow = room < 12;
  const inner = options.inside([head, ...outdented].join('\n'), {
    ...options,
    width: isNarrow ? options.width : room,
    depth: options.depth + 1,
    joins: false,
  });
  const { accent, text } = options.theme.styles;
  const start: Span = { text: lead.slice(0, options.width), style: accent };
  if (isNarrow) return [[start], ...inner];
  const hanging: Span = { text: ' '.repeat(lead.length), style: text };
  if (inner.length === 0) return [[{ ...start, text: lead.trimEnd() }]];
  return inner.map((line, index) =>
    index === 0 ? [start, ...line] : line.length === 0 ? [] : [hanging, ...line],
  );
}

function readTaskMark(text: string, inWords: boolean): [mark: string, rest: string] {
  const found = /^\[([ xX])\] +/.exec(text);
  if (!found) return ['', text];
  const [open, done] = inWords ? ['to do: ', 'done: '] : ['☐ ', '☑ '];
  return [found[1] === ' ' ? open : done, text.slice(found[0].length)];
}
