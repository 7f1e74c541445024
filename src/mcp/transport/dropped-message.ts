import { collectGarbage } from '../../lib/memory.ts';

const keptEnd = 4 * 1024;
const collectEvery = 4 * 1024 * 1024;

/** A message that is too large: its two ends, without the middle. */
export class DroppedMessage {
  size = 0;
  #head = '';
  #end: Uint8Array = new Uint8Array();
  #collectAt = collectEvery;

  constructor(...pieces: readonly Uint8Array[]) {
    for (const piece of pieces) this.add(piece);
  }

  add(piece: Uint8Array): void {
    if (this.#head.length < keptEnd)
      this.#head += Buffer.from(piece.subarray(0, keptEnd - this.#head.length)).toString('latin1');
    this.size += piece.length;
    this.#end = Buffer.concat([this.#end, piece.subarray(-keptEnd)]).subarray(-keptEnd);
    if (this.size < this.#collectAt) return;
    this.#collectAt = this.size + collectEvery;
    collectGarbage();
  }

  /** The call that it seems to answer. */
  id(): number | undefined {
    return findId(this.#head, Buffer.from(this.#end).toString('latin1'));
  }

  end(): void {
    collectGarbage();
  }
}

/** At the top level of a response `id` comes before the result or after it. A wrong guess matches no waiting call. */
function findId(head: string, end: string): number | undefined {
  const found =
    /^(?:data:)?[ \t]*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/m.exec(head) ??
    /,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(end);
  return found ? Number(found[1]) : undefined;
}
