import type { Drawing } from '../drawing.ts';
import { countLines } from '../screen/count-lines.ts';
import { styled } from '../screen/layout.ts';
import { renderDiff, renderShown, type StyleName, showControls, showLine, wrap } from '../text/index.ts';

/** Text that may end in a patch, such as what would land: the patch is drawn as changes. Nothing is left out. */
export function patchedLines(text: string, drawing: Drawing): string[] {
  const begin = text.search(/^diff --git /m);
  const words = begin < 0 ? text : text.slice(0, begin).trimEnd();
  const files = begin < 0 ? [] : text.slice(begin).split(/^(?=diff --git |# )/m);
  return [
    ...(words === '' ? [] : words.split('\n').flatMap((line) => wordLines(line, drawing))),
    ...files.flatMap((file) => ['', ...fileLines(file.trimEnd(), drawing)]),
  ];
}

/** What happens to a worktree, in the colour of that; below it are names of files and pieces of them. */
function wordLines(line: string, drawing: Drawing): string[] {
  const { width, theme } = drawing;
  const [, label = '', words = ''] = /^([a-z]+(?: [a-z]+)? {2,})(\S.*)$/.exec(line) ?? [];
  if (label === '') {
    const isCode = /^\s/.test(line);
    const marker = /^ +(?:<{7}|={7}|>{7})/.test(line) ? { style: theme.styles.dim } : {};
    return isCode ? renderShown(line, { width, theme, ...marker }) : wrap(showControls(line), width);
  }
  const style = labels[label.trim()] ?? 'strong';
  const indent = label.length + minWords > width ? '' : ' '.repeat(label.length);
  return wrap(styled(drawing, style, label) + showControls(words), width, { indent });
}

const minWords = 20;

const labels: Readonly<Record<string, StyleName>> = {
  'to land': 'success',
  'to push': 'success',
  conflict: 'warning',
  landed: 'success',
  blocked: 'warning',
  failed: 'error',
  gate: 'info',
  waiting: 'dim',
  empty: 'dim',
};

function fileLines(file: string, drawing: Drawing): string[] {
  const { width, theme, highlighter } = drawing;
  const at = file.search(/^@@ /m);
  const hunks = at < 0 ? '' : file.slice(at);
  // Anything that no patch has would not be drawn as part of one.
  if (!hunks.split('\n').every((line) => /^(?:@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|[-+ \\]|$)/.test(line)))
    return renderShown(file, { width, theme });
  const head = at < 0 ? file : file.slice(0, at).trimEnd();
  const path = /^\+\+\+ b\/(.+)$/m.exec(head)?.[1];
  const title = titleFile(head, hunks, drawing);
  const more = { ...(highlighter ? { highlighter } : {}), ...(path === undefined ? {} : { path }) };
  return [
    ...(title === undefined ? renderShown(head, { width, theme, style: theme.styles.strong }) : [title]),
    ...(hunks === '' ? [] : renderDiff({ unified: hunks }, { width, theme, isNamed: true, ...more })),
  ];
}

/** `src/sum.ts  +1 −3`, where the head of the patch says no more than that: no other name, no mode, no binary file. */
function titleFile(head: string, hunks: string, drawing: Drawing): string | undefined {
  const [, path, state = '', before, after] =
    /^diff --git a\/(\S+) b\/\1\n(?:(new|deleted) file mode 100644\n)?index [^\n]+\n--- (\S+)\n\+\+\+ (\S+)$/.exec(
      head,
    ) ?? [];
  if (path === undefined || before !== (state === 'new' ? '/dev/null' : `a/${path}`)) return undefined;
  if (after !== (state === 'deleted' ? '/dev/null' : `b/${path}`)) return undefined;
  const count = (sign: string) => hunks.split('\n').filter((line) => line.startsWith(sign)).length;
  const counts = countLines({ added: count('+'), removed: count('-') }, drawing);
  return `${styled(drawing, 'strong', showLine(path, 500))}${state === '' ? '' : ` (${state})`}  ${counts}`;
}
