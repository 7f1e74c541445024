/** Earlier versions wrote none: their records are of the epoch that they are found in. */
export function readEpoch({ epoch }: { epoch?: unknown }): number {
  return Number.isSafeInteger(epoch) ? Number(epoch) : 0;
}

/** Reads the records of a transcript in order, and tells those of a writer that had been passed. */
export class EpochOrder {
  newest = 0;

  /** False for a record that is to be ignored. */
  accepts(record: { epoch?: unknown }): boolean {
    const epoch = readEpoch(record);
    if (epoch > this.newest) this.newest = epoch;
    return epoch === 0 || epoch === this.newest;
  }
}
