import { ownerVariable } from '../../lib/processes/sweep.ts';
import { paneVariable } from '../../team/executors/pane-mark.ts';

const ofTerminal = /^(?:TMUX|TERM|PWD|OLDPWD|SHLVL|_|COLUMNS|LINES|ITERM_)/;

/** What a process in a pane has of its own, whatever its leader has. */
export function isOfTerminal(name: string): boolean {
  return ofTerminal.test(name) || name === paneVariable || name === 'CADRE_HOME';
}

/** The leader's variables for a process in a pane. */
export function pickForPane(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !isOfTerminal(name) && name !== ownerVariable),
  );
}
