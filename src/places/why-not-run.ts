import { statEntry } from '../lib/files/entry-at.ts';
import { dirname } from '../lib/files/exact-paths.ts';
import { visibleLine } from '../lib/text/text.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { findRunningCommands, type RunningCommands } from '../workspace/running-commands.ts';
import type { OutsideCommand } from './named-scripts.ts';

/**
 * Why Cadre does not run a command of its user's now, outside the sandbox: a script that it names is one that a confined
 * command, which runs beside it, can make or change. What existed when that command began is read-only for it; the rest
 * may be its work in the next moment, even if it is not there in this one.
 */
export async function explainWhyNotRun(own: OutsideCommand): Promise<string | undefined> {
  const running = await findRunningCommands();
  if (!running) return undefined;
  const { listNamedScripts, findTakenInstead } = await import('./named-scripts.ts');
  const names = [...listNamedScripts(own), ...findTakenInstead(own)];
  const script = names.find((path) => isReached(path, running));
  if (script === undefined) return undefined;
  const what = statEntry(script) ? 'was made or replaced since' : 'does not exist';
  return (
    `${visibleLine(script, 300)} ${what}, and a confined command that runs now could write it: ` +
    'it is run again when that command has ended or was stopped'
  );
}

/** A link cannot be closed to a command; whether it is another one than before is known. */
function isReached(path: string, running: RunningCommands): boolean {
  return listLinks(path).some((link) => running.made(link)) || running.mayWrite(resolveRealPath(path));
}

function listLinks(path: string): string[] {
  const above = dirname(path);
  const here = statEntry(path)?.isSymbolicLink() ? [path] : [];
  return above === path ? [] : [...listLinks(above), ...here];
}
