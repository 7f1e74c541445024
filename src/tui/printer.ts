import {
  type Entry,
  isLook,
  type LiveBlock,
  maxTail,
  type ShownCall,
  type ShownConversation,
} from '../view/index.ts';
import type { Drawing } from './drawing.ts';
import { entryLines, pieceLines, thinkingLines } from './screen/entry-lines.ts';
import type { Rest } from './screen/live-lines.ts';
import { lookLines } from './screen/look-lines.ts';
import { endStream, type MarkdownPiece, onlyPaint, type StreamPlace, splitStream } from './text/index.ts';

type Draw = (drawing: Drawing) => string[];

/** Enough to fill any screen: they are drawn again when its size changes. */
const keptForRedraw = 200;
/** In characters. Anything beyond waits for the next frame, so keys are handled in between. */
const maxAtOnce = 16 * 1024;
/** So many calls are one line at most. */
const maxLooks = 200;

interface Stream {
  place: StreamPlace | undefined;
  seen: string;
  /** Another block follows it: nothing of it is left to write. */
  isOver: boolean;
}

/**
 * Decides which part of a conversation is finished and can be written for good. A streaming answer is written piece by
 * piece; what its entry holds is then only the rest.
 */
export class Printer {
  readonly #recent: Draw[] = [];
  readonly #streams = new Map<string, Stream>();
  /** Finished, and not drawn yet. */
  readonly #due: Draw[] = [];
  /** Printed, and not taken yet. */
  readonly #texts: string[] = [];
  #rest: Rest | undefined;
  /** Calls that only looked around, until something else follows them: then they are one line. */
  #looks: ShownCall[] = [];
  #rows = 0;
  /** The number of entries written. */
  #done = 0;

  /** The unfinished part of a streaming answer. It is shown below everything to be written before it. */
  get rest(): Rest | undefined {
    return this.isBehind ? undefined : this.#rest;
  }

  /** Calls that are shown below everything written, and may become more. */
  get looks(): readonly ShownCall[] {
    return this.#looks;
  }

  /** There is more than was written at once: follow again. */
  get isBehind(): boolean {
    return this.#due.length > 0;
  }

  /** Writes new finished entries, or as many as are written at once. While it runs, calls of the same kind may follow. */
  follow(conversation: ShownConversation, drawing: Drawing, isRunning = false): void {
    const { entries, left } = conversation;
    for (const entry of entries.slice(Math.max(0, this.#done - left))) {
      if (isLook(entry)) this.#looks = [...this.#looks, entry.call];
      else this.#add(this.#ofEntry(entry));
    }
    this.#done = left + entries.length;
    this.#add(this.#ofLive(conversation.live.blocks));
    if (!isRunning || this.#looks.length >= maxLooks) this.#closeLooks();
    this.#print(drawing, maxAtOnce);
  }

  #add(draws: readonly Draw[]): void {
    if (draws.length > 0) this.#closeLooks();
    this.#due.push(...draws);
  }

  #closeLooks(): void {
    const calls = this.#looks;
    if (calls.length === 0) return;
    this.#looks = [];
    this.#due.push((drawing) => ['', ...lookLines(calls, drawing)]);
  }

  /** Writes everything that waits. */
  finish(drawing: Drawing): void {
    this.#closeLooks();
    this.#print(drawing, Number.POSITIVE_INFINITY);
  }

  /** The text printed since it was last taken. Empty if there is none. */
  takeText(): string {
    return this.#texts.splice(0).join('\n');
  }

  /** Another conversation replaces the one before: it is written from its beginning. */
  restart(): void {
    this.#done = 0;
    this.#streams.clear();
    this.#rest = undefined;
    this.#looks = [];
  }

  /** Text that is not part of a conversation, such as the output of a command. */
  say(draw: Draw, drawing: Drawing): void {
    this.#add([draw]);
    this.#print(drawing, maxAtOnce);
  }

  /** The number of rows written, each at the width of its time. */
  get rows(): number {
    return this.#rows;
  }

  /** The end of everything written, for a screen of another size. */
  redraw(drawing: Drawing, rows: number): string[] {
    const lines: string[] = [];
    for (let at = this.#recent.length - 1; at >= 0 && lines.length < rows; at--)
      lines.unshift(...(this.#recent[at]?.(drawing) ?? []));
    return lines.slice(Math.max(0, lines.length - rows)).map(onlyPaint);
  }

  #print(drawing: Drawing, most: number): void {
    const texts: string[] = [];
    for (let size = 0; size < most; ) {
      const draw = this.#due.shift();
      if (!draw) break;
      this.#recent.push(draw);
      const lines = draw(drawing);
      const text = lines.join('\n');
      if (text === '') continue;
      texts.push(text);
      this.#rows += lines.length;
      size += text.length;
    }
    this.#recent.splice(0, Math.max(0, this.#recent.length - keptForRedraw));
    if (texts.length > 0) this.#texts.push(onlyPaint(texts.join('\n')));
  }

  #ofEntry(entry: Entry): Draw[] {
    const isStreamed = entry.kind === 'text' || entry.kind === 'thinking';
    const stream = isStreamed && entry.liveId !== null ? this.#streams.get(entry.liveId) : undefined;
    if (entry.kind === 'text' && !stream) return createDraws(endStream(entry.text));
    if (entry.kind === 'reminder') return [];
    if (!isStreamed || !stream) return [(drawing) => entryLines(entry, drawing)];
    if (entry.liveId !== null) this.#streams.delete(entry.liveId);
    this.#rest = undefined;
    if (stream.isOver) return [];
    if (entry.kind === 'thinking') return [(drawing) => entryLines(entry, drawing)];
    return createDraws(findRest(entry, stream));
  }

  #ofLive(blocks: readonly LiveBlock[]): Draw[] {
    this.#rest = undefined;
    return blocks.flatMap((block, index) => {
      // Nothing after a call is written before the call itself is.
      const isBehindCall = blocks.slice(0, index).some(({ kind }) => kind === 'call');
      return block.kind === 'call' || isBehindCall ? [] : this.#ofBlock(block, index < blocks.length - 1);
    });
  }

  #ofBlock(block: Exclude<LiveBlock, { kind: 'call' }>, isFollowed: boolean): Draw[] {
    const stream = this.#streams.get(block.id) ?? { place: undefined, seen: '', isOver: false };
    this.#streams.set(block.id, stream);
    if (stream.isOver) return [];
    stream.seen = block.text;
    stream.isOver = isFollowed;
    if (block.kind === 'thinking') return isFollowed ? [(drawing) => thinkingLines(block.text, drawing)] : [];
    if (isFollowed) return createDraws(endStream(block.text, stream.place));
    const { finished, rest, place } = splitStream(block.text, stream.place);
    stream.place = place;
    this.#rest = rest;
    return createDraws(finished);
  }
}

/** Pieces are dropped for a slow reader: then the written text has gaps, and the whole text is written instead. */
function findRest(
  { text, characters = text.length }: { text: string; characters?: number },
  stream: Stream,
): MarkdownPiece[] {
  const { seen, place } = stream;
  if (characters === text.length) return endStream(text, text.startsWith(seen) ? place : undefined);
  // The omitted part of the entry was seen here, unless very much came at once.
  const unseen = characters - seen.length;
  const isSeen = unseen >= 0 && unseen <= maxTail && seen.startsWith(text.slice(0, 1_000));
  return isSeen ? endStream(seen + text.slice(text.length - unseen), place) : endStream(text);
}

function createDraws(pieces: readonly MarkdownPiece[]): Draw[] {
  return pieces.map((piece) => (drawing) => pieceLines(piece, drawing));
}
