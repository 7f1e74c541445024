import { statEntry } from '../lib/files/entry-at.ts';
import { quote } from '../lib/shell-quote.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { openCommandLook } from './command-look.ts';
import { readCommandWords } from './command-words.ts';
import { listScripts } from './own-scripts.ts';
import { findRunnerTargets } from './runner-targets.ts';

export interface OutsideCommand {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Where it is started, and where its relative names may begin. */
  readonly directories: readonly string[];
  readonly userHome: string;
}

/** The scripts that a command names, from each directory where its names may begin. */
export function listNamedScripts({ userHome, ...own }: OutsideCommand): string[] {
  const look = openCommandLook();
  return fromEachTop(own, (text, top) =>
    listScripts(text, { top, userHome, look, readWords: readCommandWords }),
  );
}

/** What exists there and takes the place of a program or module that the command looks for. */
export function findTakenInstead(own: OutsideCommand): string[] {
  return fromEachTop(own, findRunnerTargets).filter((path) => statEntry(path) !== undefined);
}

function fromEachTop(
  { command, args = [], directories }: Omit<OutsideCommand, 'userHome'>,
  find: (text: string, top: string) => string[],
): string[] {
  const text = [command, ...args.map(quote)].join(' ');
  return [...new Set(directories.map((path) => resolveRealPath(path)))].flatMap((top) => find(text, top));
}
