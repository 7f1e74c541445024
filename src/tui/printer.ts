import type { Conversation, Entry, LiveBlock } from '../view/index.ts';
import type { Drawing } from './drawing.ts';
import { entryLines, pieceLines, thinkingLines } from './screen/entry-lines.ts';
import type { Rest } from './screen/live-lines.ts';
import { endStream, type StreamPlace, splitStream } from './text/index.ts';

/** Text that is written once and then belongs to the terminal. */
export interface Printed {
  readonly key: number;
  readonly text: string;
}

/** All that was written, as far as anybody can still want it: a list that knows its length and its end. */
export interface Written {
  readonly length: number;
  slice(from: number): Printed[];
}

export const noneWritten: Written = { length: 0, slice: () => [] };

type Draw = (drawing: Drawing) => string[];

/** As many as fill any screen: they are drawn again when its width changes. */
const keptForRedraw = 60;
/** More than is ever written between two frames. */
const keptForWriting = 1_000;

interface Stream {
  place: StreamPlace | undefined;
  seen: string;
  /** Another block follows it: nothing of it is left to write. */
  isOver: boolean;
}

/**
 * Decides what of a conversation is finished and can be written for good. An answer that streams in is written piece by
 * piece; what its entry holds is then only the rest.
 */
export class Printer {
  readonly #recent: Draw[] = [];
  readonly #streams = new Map<string, Stream>();
  readonly #newest: Printed[] = [];
  #written: Written = noneWritten;
  #rest: Rest | undefined;
  /** How many entries of the conversation were written. */
  #done = 0;
  #count = 0;

  /** Another value whenever there is more. */
  get written(): Written {
    return this.#written;
  }

  get rest(): Rest | undefined {
    return this.#rest;
  }

  /** Writes what is new and finished. */
  follow(conversation: Conversation, drawing: Drawing): void {
    const { entries, left } = conversation;
    const draws = entries.slice(Math.max(0, this.#done - left)).flatMap((entry) => this.#ofEntry(entry));
    this.#done = left + entries.length;
    draws.push(...this.#ofLive(conversation.live.blocks));
    this.#print(draws, drawing);
  }

  /** What was written so far, for somebody who puts it on the screen himself. */
  take(): string {
    const text = this.#newest.map((one) => one.text).join('\n');
    this.#newest.splice(0);
    this.#count = 0;
    this.#written = noneWritten;
    return text;
  }

  /** Another conversation takes the place of the one before: it is written from its beginning. */
  restart(): void {
    this.#done = 0;
    this.#streams.clear();
    this.#rest = undefined;
  }

  /** Something that is in no conversation: what a command says. */
  say(draw: Draw, drawing: Drawing): void {
    this.#print([draw], drawing);
  }

  /** The end of all that was written, for a screen of another width. */
  redraw(drawing: Drawing, rows: number): string {
    const lines = this.#recent.flatMap((draw) => draw(drawing));
    return lines.slice(-rows).join('\n');
  }

  #print(draws: readonly Draw[], drawing: Drawing): void {
    this.#recent.push(...draws);
    this.#recent.splice(0, Math.max(0, this.#recent.length - keptForRedraw));
    const before = this.#count;
    for (const draw of draws) {
      const text = draw(drawing).join('\n');
      if (text !== '') this.#newest.push({ key: this.#count++, text });
    }
    if (this.#count === before) return;
    const newest = this.#newest.slice(-keptForWriting);
    this.#newest.splice(0, this.#newest.length - newest.length);
    this.#written = { length: this.#count, slice: (from) => newest.filter(({ key }) => key >= from) };
  }

  #ofEntry(entry: Entry): Draw[] {
    const isStreamed = entry.kind === 'text' || entry.kind === 'thinking';
    const stream = isStreamed && entry.liveId !== null ? this.#streams.get(entry.liveId) : undefined;
    if (!isStreamed || !stream) return [(drawing) => entryLines(entry, drawing)];
    if (entry.liveId !== null) this.#streams.delete(entry.liveId);
    this.#rest = undefined;
    if (stream.isOver) return [];
    if (entry.kind === 'thinking') return [(drawing) => entryLines(entry, drawing)];
    // Pieces are dropped for a slow reader: then what was written has gaps, and the whole is written instead.
    const place = entry.text.startsWith(stream.seen) ? stream.place : undefined;
    return endStream(entry.text, place).map((piece) => (drawing) => pieceLines(piece, drawing));
  }

  #ofLive(blocks: readonly LiveBlock[]): Draw[] {
    this.#rest = undefined;
    const draws: Draw[] = [];
    for (const [index, block] of blocks.entries()) {
      // Behind a call nothing is written before the call itself is.
      if (block.kind === 'call') break;
      draws.push(...this.#ofBlock(block, index < blocks.length - 1));
    }
    return draws;
  }

  #ofBlock(block: Exclude<LiveBlock, { kind: 'call' }>, isFollowed: boolean): Draw[] {
    const stream = this.#streams.get(block.id) ?? { place: undefined, seen: '', isOver: false };
    this.#streams.set(block.id, stream);
    if (stream.isOver) return [];
    stream.seen = block.text;
    stream.isOver = isFollowed;
    if (block.kind === 'thinking') return isFollowed ? [(drawing) => thinkingLines(block.text, drawing)] : [];
    if (isFollowed)
      return endStream(block.text, stream.place).map((piece) => (drawing) => pieceLines(piece, drawing));
    const { finished, rest, place } = splitStream(block.text, stream.place);
    stream.place = place;
    this.#rest = rest;
    return finished.map((piece) => (drawing) => pieceLines(piece, drawing));
  }
}
