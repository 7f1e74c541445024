/** Background work: done as soon as this process is idle, or on request. */
export class Afterwards {
  readonly #waiting: (() => void)[] = [];

  add(act: () => void): void {
    if (this.#waiting.push(act) === 1) setImmediate(() => this.now());
  }

  now(): void {
    for (const act of this.#waiting.splice(0)) act();
  }
}
