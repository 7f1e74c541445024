import { formatStamp } from '../../lib/files/change-time.ts';
import { listKnown, untold } from '../../lib/told.ts';
import { isLocal } from './local-file-systems.ts';
import { listNames, statEntry } from './look.ts';

interface Known {
  stamp: string;
  names: readonly string[];
}

/** Names in directories that are looked into again and again: one that has not changed since is not read again. */
export class KnownNames {
  readonly #known = new Map<string, Known>();
  /** By device. */
  readonly #local = new Map<number, boolean>();

  /** The same array as before where nothing changed. */
  in(directory: string): readonly string[] {
    const stat = statEntry(directory);
    if (!stat) {
      this.#known.delete(directory);
      return [];
    }
    const before = this.#known.get(directory);
    const stamp = this.#isTimed(directory, stat.dev) ? formatStamp(stat) : undefined;
    if (before && before.stamp === stamp) return before.names;
    const read = listNames(directory);
    const names = listKnown(read);
    // What could not be read is asked again.
    if (stamp === undefined || read === untold) this.#known.delete(directory);
    else this.#known.set(directory, { stamp, names });
    return names;
  }

  #isTimed(directory: string, device: number): boolean {
    const known = this.#local.get(device) ?? isLocal(directory);
    this.#local.set(device, known);
    return known;
  }
}
