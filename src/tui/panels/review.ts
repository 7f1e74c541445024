import type { Drawing } from '../drawing.ts';
import { styled } from '../screen/layout.ts';
import type { Panel, ReviewLine } from '../state.ts';
import { showControls, wrapColumns } from '../text/index.ts';

type ReviewPanel = Extract<Panel, { kind: 'review' }>;

/** A patch, line by line, each with its style. */
export function readPatch(text: string): ReviewLine[] {
  let isHead = true;
  return showControls(text.trimEnd())
    .split('\n')
    .map((line) => {
      if (line.startsWith('diff --git ')) isHead = true;
      else if (line.startsWith('@@ ')) isHead = false;
      return { text: line, style: findStyle(line, isHead) };
    });
}

export function plainLines(text: string): ReviewLine[] {
  return showControls(text.trimEnd())
    .split('\n')
    .map((line) => ({ text: line, style: 'text' }));
}

function findStyle(line: string, isHead: boolean): ReviewLine['style'] {
  if (line.startsWith('@@ ')) return 'info';
  if (isHead) return 'strong';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'text';
}

/** Only what is seen is drawn: a patch may be long. */
export function reviewLines({ lines, down }: ReviewPanel, room: number, drawing: Drawing): string[] {
  const drawn: string[] = [];
  for (let at = down; at < lines.length && drawn.length < room; at++) {
    const { text, style } = lines[at] ?? { text: '', style: 'text' as const };
    drawn.push(...wrapColumns(text, drawing.width).map((row) => styled(drawing, style, row)));
  }
  return drawn.slice(0, room);
}

export function explainReviewKeys({ confirming, comment, said, agentId, isGone }: ReviewPanel): string {
  if (confirming)
    return `${confirming.question} y to do it, up and down to scroll, any other key to go back.`;
  if (comment) return 'return sends it back with these words · esc goes back';
  if (isGone) return 'up and down scroll · esc goes back';
  const back = agentId === null ? '' : ' · r returns it with comments';
  return said ?? `up and down scroll · l lands · d drops${back} · esc goes back`;
}
