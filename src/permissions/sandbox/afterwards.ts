/** Work that nobody waits for: done as soon as this process has nothing else to do, or when it is asked for. */
export class Afterwards {
  readonly #waiting: (() => void)[] = [];

  add(act: () => void): void {
    if (this.#waiting.push(act) === 1) setImmediate(() => this.now());
  }

  now(): void {
    for (const act of this.#waiting.splice(0)) act();
  }
}
