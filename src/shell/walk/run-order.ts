import type { Overlap, SimpleCommand } from '../grammar/types.ts';

/** Collects, while a script is read, the commands that do not run once and in the order of the text. */
export class RunOrder {
  readonly overlaps: Overlap[] = [];

  constructor(
    /** The script's commands read so far. */
    readonly commands: readonly SimpleCommand[],
  ) {}

  /** A loop. One over names that a search found ends with them. */
  readLoop(how: 'again' | 'endless', read: () => void): void {
    const from = this.commands.length;
    read();
    const isFed = this.commands
      .slice(from)
      .some(({ words, takesNames }) => takesNames && words[0]?.text === 'read');
    this.#add(from, this.commands.length, isFed ? 'again' : how);
  }

  /** Commands that run at the same time, and end before the next one. */
  readTogether(read: () => void): void {
    const from = this.commands.length;
    read();
    this.#add(from, this.commands.length, 'beside');
  }

  /** Commands that the shell starts and does not wait for. */
  readLeft(read: () => void): void {
    const from = this.commands.length;
    read();
    this.#add(from, this.commands.length, 'beside', Infinity);
  }

  /** The command that is being read leaves something running. */
  addLeft(): void {
    const from = this.commands.length;
    this.#add(from, from + 1, 'beside', Infinity);
  }

  #add(from: number, to: number, how: Overlap['how'], until = to): void {
    if (to > from) this.overlaps.push({ from, to, until, how });
  }
}
