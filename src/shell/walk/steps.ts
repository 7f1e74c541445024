import type { ShellWord, SimpleCommand } from '../grammar/types.ts';

/**
 * How much of one line is read. Parts of a line are held against each other, so the time to judge it grows with the square
 * of its length, and all agents wait while one line is judged.
 */
export class Steps {
  #left = maxSteps;

  get areSpent(): boolean {
    return this.#left < 0;
  }

  spend({ words, redirects, assignments }: SimpleCommand): void {
    const targets = [...redirects.map(({ target }) => target), ...assignments.map(({ word }) => word)];
    this.#left -= stepsPerCommand + targets.length * stepsPerCommand;
    for (const word of [...words, ...targets])
      if (word) this.#left -= stepsPerWord + Math.floor(findLength(word) / charactersPerStep);
  }
}

/** About 400 commands of a few words, or one of 2,000 words. */
const maxSteps = 8000;
const stepsPerCommand = 10;
const stepsPerWord = 4;
const charactersPerStep = 64;

function findLength({ text, values = [] }: ShellWord): number {
  return values.reduce((length, value) => length + value.text.length, text.length);
}
