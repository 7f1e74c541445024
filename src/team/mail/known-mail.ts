import { stateDirectories } from './box-place.ts';
import { type BoxFiles, listMailFiles } from './read-box.ts';

/** Far more than a box keeps of read mail: what is older is known by the reader's transcript only. */
const maxKnown = 20_000;

/** The ids of messages that a box has seen. Only its reader moves them, so the directories are listed once. */
export class KnownMail {
  readonly #ids: Set<string>;

  constructor(box: BoxFiles) {
    const files = (['read', 'void', 'delivered'] as const).flatMap((state) =>
      listMailFiles(box, stateDirectories[state]),
    );
    this.#ids = new Set(files.map((file) => file.replace(/\.json$/, '')));
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size <= maxKnown) return;
    for (const oldest of this.#ids) {
      this.#ids.delete(oldest);
      return;
    }
  }
}
