import { type Result, usage } from '../../lib/result.ts';
import type { RipgrepSource } from '../../tools/search/ripgrep.ts';
import type { FlagsOf } from '../table/commands.ts';
import { openTeam } from './team.ts';
import { leaveProcess } from './team-part.ts';

/** `cadre team join`: a session of the user's own whose lead is a member of the team. */
export async function joinTeam(
  name: string | undefined,
  flags: FlagsOf<'team join'>,
  ripgrep: RipgrepSource,
): Promise<number | Result<never>> {
  const opened = openTeam(name);
  if (!opened.ok) return opened;
  const { place, members } = opened.value;
  const taken = new Set(members.list().map((member) => member.name));
  let number = 1;
  while (taken.has(`session-${number}`)) number++;
  const own = flags.as ?? `session-${number}`;
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    return usage(
      'cadre team join needs a terminal.',
      `To write to the team from a program, use cadre mail send --team ${place.name}.`,
    );
  const { startTui } = await import('../terminal.ts');
  return startTui({
    session: { teamMember: `${own}@${place.name}`, onTeamEnd: leaveProcess, ripgrep },
    demo: async () => 1,
  });
}
