import { ownerVariable } from '../../lib/processes/process.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import { isProgramAddress } from '../../team/names.ts';
import { isTeamName, locateTeam, type TeamPlace } from '../../team/team-place.ts';
import { listTeams, loadTeam } from '../../team/team-record.ts';

/** The team by its name; without one, the only team that is open. */
export function findTeam({ home, machine }: Surroundings, name: string | undefined): Result<TeamPlace> {
  if (name !== undefined) return findNamed(home, name, machine);
  const open = listTeams(home, machine).teams.filter(({ endedAt }) => endedAt === undefined);
  const [only, another] = open;
  if (only && !another) return ok(locateTeam(home, only.name));
  if (!only) return usage('There is no open team.', 'Name an ended one with --team NAME.');
  const names = open.map((team) => team.name).join(', ');
  return usage(`Several teams are open: ${names}.`, 'Choose one with --team NAME.');
}

function findNamed(home: string, name: string, machine: Surroundings['machine']): Result<TeamPlace> {
  const missing = usage(
    `There is no team ${name}.`,
    `Teams are: ${
      listTeams(home, machine)
        .teams.map((team) => team.name)
        .join(', ') || 'none'
    }.`,
  );
  if (!isTeamName(name)) return missing;
  const place = locateTeam(home, name);
  const team = loadTeam(place, machine);
  if (!team.ok) return team;
  return team.value ? ok(place) : missing;
}

/**
 * Who uses the command: the user, or a program that says its name. Never a member. A command that an agent runs is not the user,
 * whatever it says.
 */
export function chooseAddress(
  { environment }: Surroundings,
  { as: name }: { as?: string | undefined },
): Result<string> {
  if (name === undefined)
    return ok(environment[ownerVariable] === undefined ? 'user' : 'program:agent-command');
  const address = name.startsWith('program:') ? name : `program:${name}`;
  if (isProgramAddress(address)) return ok(address);
  return usage(`--as ${name}: expected letters, digits, "-", "_" and ".", starting with a letter or digit.`);
}
