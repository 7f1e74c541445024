import { quote } from '../lib/shell-quote.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { openCommandLook } from './command-look.ts';
import { readCommandWords } from './command-words.ts';
import { listScripts } from './own-scripts.ts';

export interface OutsideCommand {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Where it is started, and where its relative names may begin. */
  readonly directories: readonly string[];
  readonly userHome: string;
}

/** The scripts that a command names, from each directory where its names may begin. */
export function listNamedScripts({ command, args = [], directories, userHome }: OutsideCommand): string[] {
  const text = [command, ...args.map(quote)].join(' ');
  const look = openCommandLook();
  const tops = new Set(directories.map((path) => resolveRealPath(path)));
  return [...tops].flatMap((top) => listScripts(text, { top, userHome, look, readWords: readCommandWords }));
}
