/**
 * Represents an answer that could not be determined. A separate symbol and not `undefined`, which `??` and `?.` would turn
 * into "there is none": the user of such an answer has to handle the unknown case.
 */
export const untold: unique symbol = Symbol('untold');

export type Told<T> = T | typeof untold;

export function mapTold<T, U>(answer: Told<T>, map: (told: T) => U): Told<U> {
  return answer === untold ? untold : map(answer as T);
}

/** Several lists as one; untold if any of them is. */
export function joinTold<T>(...lists: readonly Told<readonly T[]>[]): Told<readonly T[]> {
  const told: T[] = [];
  for (const list of lists) {
    if (list === untold) return untold;
    told.push(...list);
  }
  return told;
}

/** The known part of an answer, where the unknown part is judged elsewhere. */
export function listKnown<T>(answer: Told<readonly T[]>): readonly T[] {
  return answer === untold ? [] : answer;
}
