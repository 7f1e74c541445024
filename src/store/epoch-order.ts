/** Higher numbers are damage: no session is opened so often. */
const maxEpoch = 1_000_000_000;

type Fields = { type?: unknown; epoch?: unknown };

/** Earlier versions wrote none: their records are of the epoch that they are found in. */
export function readEpoch({ epoch }: Fields): number {
  return Number.isSafeInteger(epoch) && Number(epoch) <= maxEpoch ? Number(epoch) : 0;
}

/** What becomes of each record, in the order of the file. */
export interface EpochSink<T> {
  accept(item: T): void;
  /** Written by a process that had been passed. */
  ignoreLate(item: T): void;
  /** It has a higher epoch than the records around it, which no `epoch` record announced. */
  reportWrong(item: T): void;
}

interface Held<T> {
  item: T;
  epoch: number;
  isAnnounced: boolean;
}

/**
 * Reads the records of a transcript in order, and tells those of a writer that had been passed. A higher epoch counts once the next
 * record agrees with it: one damaged digit must not hide all that follows. Where an earlier writer may be alive, its successor begins
 * with an `epoch` record, so one that is followed by an older epoch is believed, and any other record is not.
 */
export class EpochOrder<T> {
  newest = 0;
  /** The first record of a higher epoch, until the next one shows whether that is right. */
  #held: Held<T> | undefined;
  /** After an `epoch` record, one between the epoch before it and its own: one of the two is wrong. */
  #doubt: Held<T> | undefined;

  constructor(private readonly sink: EpochSink<T>) {}

  add(record: Fields, item: T): void {
    const one = { item, epoch: readEpoch(record), isAnnounced: record.type === 'epoch' };
    // Its epoch says nothing that the next record does not say.
    if (record.type === 'cadre-transcript') this.sink.accept(item);
    else this.#add(one);
  }

  /** Call it after the last record. */
  end(): void {
    if (this.#held) this.#believe(this.#held);
  }

  #add(one: Held<T>): void {
    const held = this.#held;
    if (held) this.#compare(held, one);
    else if (one.epoch === 0 || one.epoch === this.newest) this.sink.accept(one.item);
    else if (one.epoch < this.newest) this.sink.ignoreLate(one.item);
    else this.#held = one;
  }

  #compare(held: Held<T>, one: Held<T>): void {
    const { epoch } = one;
    if (this.#doubt) {
      if (epoch === this.#doubt.epoch) this.#disbelieve(held, this.#doubt);
      else this.#believe(held);
      this.#add(one);
    } else if (epoch === 0 || epoch >= held.epoch) {
      this.#believe(held);
      this.#add(one);
    } else if (epoch < this.newest) {
      this.sink.ignoreLate(one.item);
    } else if (!held.isAnnounced) {
      this.#disbelieve(held, undefined);
      this.#add(one);
    } else if (epoch === this.newest) {
      this.#believe(held);
      this.sink.ignoreLate(one.item);
    } else this.#doubt = one;
  }

  #believe(held: Held<T>): void {
    this.newest = held.epoch;
    this.sink.accept(held.item);
    if (this.#doubt) this.sink.ignoreLate(this.#doubt.item);
    this.#held = undefined;
    this.#doubt = undefined;
  }

  #disbelieve(held: Held<T>, instead: Held<T> | undefined): void {
    this.#held = undefined;
    this.#doubt = undefined;
    this.sink.reportWrong(held.item);
    if (!instead) return;
    this.newest = instead.epoch;
    this.sink.accept(instead.item);
  }
}
