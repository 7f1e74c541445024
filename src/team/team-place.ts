import { join } from 'node:path';

/**
 * The files of one team, below Cadre's own directory. Names only: nothing is created or read here. Formats are in
 * docs/formats.md: other programs take part through them.
 */
export interface TeamPlace {
  readonly name: string;
  readonly directory: string;
  readonly record: string;
  /** One file per member. */
  readonly members: string;
  /** Leases on addresses and board items; the epoch of an address is its incarnation's number. */
  readonly leases: string;
  readonly board: string;
  readonly memory: string;
  /** A member's box. */
  box(member: string): string;
}

/** Safe as a file name and as an address. */
const teamName = /^[A-Za-z0-9][\w.-]{0,63}$/;

export function isTeamName(text: string): boolean {
  return teamName.test(text);
}

export function locateTeams(home: string): string {
  return join(home, 'teams');
}

export function locateTeam(home: string, name: string): TeamPlace {
  if (!isTeamName(name)) throw new Error(`not a team name: ${name}`);
  const directory = join(locateTeams(home), name);
  return {
    name,
    directory,
    record: join(directory, 'team.json'),
    members: join(directory, 'members'),
    leases: join(directory, 'leases'),
    board: join(directory, 'board'),
    memory: join(directory, 'memory'),
    box: (member) => join(directory, 'mail', member),
  };
}
