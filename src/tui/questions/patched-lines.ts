import type { Drawing } from '../drawing.ts';
import { renderDiff, renderShown } from '../text/index.ts';

/** Text that may end in a patch, such as what would land: the patch is drawn as changes. Nothing is left out. */
export function patchedLines(text: string, drawing: Drawing): string[] {
  const { width, theme } = drawing;
  const begin = text.search(/^diff --git /m);
  const words = begin < 0 ? text : text.slice(0, begin).trimEnd();
  const files = begin < 0 ? [] : text.slice(begin).split(/^(?=diff --git )/m);
  return [
    ...(words === '' ? [] : renderShown(words, { width, theme })),
    ...files.flatMap((file) => ['', ...fileLines(file.trimEnd(), drawing)]),
  ];
}

function fileLines(file: string, drawing: Drawing): string[] {
  const { width, theme, highlighter } = drawing;
  const at = file.search(/^@@ /m);
  const hunks = at < 0 ? '' : file.slice(at);
  // Anything that no patch has would not be drawn as part of one.
  if (!hunks.split('\n').every((line) => /^(?:@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|[-+ \\]|$)/.test(line)))
    return renderShown(file, { width, theme });
  const head = at < 0 ? file : file.slice(0, at).trimEnd();
  const path = /^\+\+\+ b\/(.+)$/m.exec(head)?.[1];
  const more = { ...(highlighter ? { highlighter } : {}), ...(path === undefined ? {} : { path }) };
  return [
    ...renderShown(head, { width, theme, style: theme.styles.strong }),
    ...(hunks === '' ? [] : renderDiff({ unified: hunks }, { width, theme, isNamed: true, ...more })),
  ];
}
