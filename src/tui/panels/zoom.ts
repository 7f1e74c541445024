import type { Agent, Entry, View } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { agentRow, placesFor } from '../screen/agent-lines.ts';
import { entryLines, pieceLines } from '../screen/entry-lines.ts';
import { styled } from '../screen/layout.ts';
import { blockGroup, callBlock, waitLine } from '../screen/live-lines.ts';
import { endStream } from '../text/index.ts';

/** Drawn once for each width: an entry never changes. */
export type LineCache = WeakMap<Entry, { width: number; lines: string[] }>;

/** An agent's whole conversation, as it goes on. */
export function zoomLines(view: View, agent: Agent, cache: LineCache, around: Drawing): string[] {
  const drawing = { ...around, places: placesFor(agent, around) };
  const { entries, left, live } = agent.conversation;
  const gone = left > 0 ? [styled(drawing, 'dim', `(${left} older entries are in its transcript)`)] : [];
  return [
    ...gone,
    ...entries.flatMap((entry) => cached(entry, cache, drawing)),
    ...live.blocks.flatMap((block) =>
      block.kind === 'text' ? endStream(block.text).flatMap((piece) => pieceLines(piece, drawing)) : [],
    ),
    ...blockGroup(live.blocks, drawing),
    ...callBlock(view, live.calls, drawing),
    ...(live.wait ? ['', waitLine(live.wait, drawing)] : []),
  ];
}

export function zoomHead(agent: Agent, drawing: Drawing): string[] {
  return [
    agentRow({ ...agent, activity: '' }, drawing),
    ...(drawing.plain ? [] : [styled(drawing, 'border', '─'.repeat(drawing.width))]),
  ];
}

function cached(entry: Entry, cache: LineCache, drawing: Drawing): string[] {
  const known = cache.get(entry);
  if (known?.width === drawing.width) return known.lines;
  const lines = entryLines(entry, drawing);
  cache.set(entry, { width: drawing.width, lines });
  return lines;
}
