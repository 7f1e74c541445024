import { hashBytes } from '../../lib/hash.ts';
import { isTeamName } from '../team-place.ts';

/** In the environment of every process in a pane, and in the command that the pane was opened with. */
export const paneVariable = 'CADRE_TEAM_PANE';

/**
 * Whose pane it is. It is part of the command that opens the pane, so that there is no moment at which a pane of ours has
 * none; and a pane without it is never touched.
 */
export interface PaneMark {
  /** Tells installations with different homes apart. */
  home: string;
  team: string;
  name: string;
  /** One launch: a member that is started again gets another. */
  token: string;
}

export function formatPaneMark({ home, team, name, token }: PaneMark): string {
  return [home, team, name, token].join(':');
}

export function parsePaneMark(text: string): PaneMark | undefined {
  const [home = '', team = '', name = '', token = '', ...rest] = text.split(':');
  const isWhole = /^[0-9a-f]{12}$/.test(home) && /^[a-z0-9]{8,40}$/.test(token) && rest.length === 0;
  return isWhole && isTeamName(team) && isTeamName(name) ? { home, team, name, token } : undefined;
}

/** The mark in a command line, as terminals show it. */
export function findPaneMark(commandLine: string): string | undefined {
  const [, text] = /(?:^|[\s"'])CADRE_TEAM_PANE=([\w.:-]+)/.exec(commandLine) ?? [];
  return text !== undefined && parsePaneMark(text) ? text : undefined;
}

export function identifyHome(home: string): string {
  return hashBytes(home).slice(0, 12);
}
