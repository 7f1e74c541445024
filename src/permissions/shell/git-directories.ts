import { resolve } from 'node:path';
import type { Script } from './script.ts';
import { literalOf } from './types.ts';

/** Where the git commands of a script look for their repository: its configuration may name programs to run. */
export function findGitDirectories(script: Script): string[] {
  const found = new Set<string>();
  for (const { command, effect } of script.all) {
    if (!effect.known || !effect.git) continue;
    const words = command.words.map(literalOf);
    const moves = words.flatMap((word, index) =>
      word === '-C' && index > 0 ? [words[index + 1] ?? '.'] : [],
    );
    for (const directory of command.directories) {
      found.add(resolve(directory, ...moves));
      found.add(directory);
    }
  }
  return [...found];
}
