import { nameFiles } from './words.ts';

/** Why a file or directory of the checkout is not brought; undefined if it is. */
export type RefuseFile = (path: string) => Promise<string | undefined>;

/** A file that is not brought, by its path in the checkout. */
export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

/** One line for each reason: a pattern may name hundreds of files. `by`: what would have brought them. */
export function describeLeftOut(by: string, files: readonly LeftOut[]): string[] {
  return [...Map.groupBy(files, ({ reason }) => reason)].map(([reason, some]) => {
    const names = nameFiles(some.map(({ path }) => path));
    return `${by}: ${names} not copied, because agents may not read it in the checkout: ${reason}`;
  });
}
