/**
 * Stands for an answer that could not be found. A sign of its own and not `undefined`, which `??` and `?.` would turn into
 * "there is none": whoever uses such an answer has to say what follows when it cannot be told.
 */
export const untold: unique symbol = Symbol('untold');

export type Told<T> = T | typeof untold;

export function mapTold<T, U>(answer: Told<T>, map: (told: T) => U): Told<U> {
  return answer === untold ? untold : map(answer as T);
}

/** All of several lists as one; one that cannot be told spoils it. */
export function joinTold<T>(...lists: readonly Told<readonly T[]>[]): Told<readonly T[]> {
  const told: T[] = [];
  for (const list of lists) {
    if (list === untold) return untold;
    told.push(...list);
  }
  return told;
}

/** What is known of an answer, where what is not is judged elsewhere. */
export function listKnown<T>(answer: Told<readonly T[]>): readonly T[] {
  return answer === untold ? [] : answer;
}
