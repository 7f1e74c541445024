import { type Agent, type Entry, groupLooks, type ShownConversation, type View } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { agentRow, listAgentPlaces } from '../screen/agent-lines.ts';
import { entryLines, pieceLines } from '../screen/entry-lines.ts';
import { styled } from '../screen/layout.ts';
import { blockGroup, callBlock, waitLines } from '../screen/live-lines.ts';
import { lookLines } from '../screen/look-lines.ts';
import { type StreamPlace, splitStream } from '../text/index.ts';

/** Lines drawn once and kept: entries never change, and neither does the finished part of a streaming answer. */
export interface LineCache {
  readonly entries: WeakMap<Entry, { width: number; lines: string[] }>;
  readonly streams: Map<string, StreamLines>;
}

interface StreamLines {
  readonly width: number;
  readonly seen: string;
  readonly place: StreamPlace;
  readonly lines: string[];
}

export function emptyLineCache(): LineCache {
  return { entries: new WeakMap(), streams: new Map() };
}

/** An agent's whole conversation, live. */
export function zoomLines(view: View, agent: Agent, cache: LineCache, around: Drawing): string[] {
  const drawing = { ...around, places: listAgentPlaces(agent, around) };
  const { entries, left } = agent.conversation;
  const gone = left > 0 ? [styled(drawing, 'dim', `(${left} older entries are not shown)`)] : [];
  const lines = groupLooks(entries).flatMap((one) => {
    if (!('kind' in one))
      return [
        '',
        ...lookLines(
          one.map(({ call }) => call),
          drawing,
        ),
      ];
    return keepLines(one, cache, drawing, () => entryLines(one, drawing));
  });
  return [...gone, ...lines, ...openLines(view, agent, cache, drawing)];
}

/** The part of a conversation that still changes. */
export function openLines(
  view: View,
  whose: { id: string; conversation: ShownConversation },
  cache: LineCache,
  drawing: Drawing,
): string[] {
  const { live } = whose.conversation;
  return [
    ...streamLines(whose, cache, drawing),
    ...blockGroup(live.blocks, drawing),
    ...callBlock(view, live.calls, drawing),
    ...(live.wait ? ['', ...waitLines(live.wait, drawing)] : []),
  ];
}

export function zoomHead(agent: Agent, drawing: Drawing): string[] {
  return [
    agentRow({ ...agent, activity: '' }, drawing),
    ...(drawing.plain ? [] : [styled(drawing, 'border', '─'.repeat(drawing.width))]),
  ];
}

function streamLines(
  { id, conversation }: { id: string; conversation: ShownConversation },
  { streams }: LineCache,
  drawing: Drawing,
): string[] {
  const known = new Map(streams);
  streams.clear();
  return conversation.live.blocks.flatMap((block) => {
    if (block.kind !== 'text') return [];
    const key = `${id} ${block.id}`;
    const { lines, rest } = goOn(known.get(key), block.text, drawing);
    streams.set(key, lines);
    return rest ? [...lines.lines, ...pieceLines(rest, drawing)] : lines.lines;
  });
}

/** Draws only new lines since the last frame, and the unfinished part. */
function goOn(before: StreamLines | undefined, text: string, drawing: Drawing) {
  const { width } = drawing;
  const known = before?.width === width && text.startsWith(before.seen) ? before : undefined;
  const { finished, rest, place } = splitStream(text, known?.place);
  const lines = known?.lines ?? [];
  for (const piece of finished) lines.push(...pieceLines(piece, drawing));
  return { lines: { width, seen: text, place, lines }, rest };
}

export function keepLines(
  entry: Entry,
  { entries: cache }: LineCache,
  drawing: Drawing,
  draw: () => string[],
): string[] {
  const known = cache.get(entry);
  if (known?.width === drawing.width) return known.lines;
  const lines = draw();
  cache.set(entry, { width: drawing.width, lines });
  return lines;
}
