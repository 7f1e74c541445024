import { parseJson } from '../../lib/fields/parse-json.ts';
import { writeAtomic } from '../../lib/files/atomic.ts';
import { readSmallText, removeQuietly } from '../../lib/files/small-files.ts';
import { nameByProcess } from '../../lib/files/temporary-names.ts';
import { form } from '../../lib/form/form.ts';
import type { Machine } from '../../lib/machine.ts';
import { failure, ok, type Result, usage } from '../../lib/result.ts';
import { isTeamName, locateTeam, type TeamPlace } from '../team-place.ts';
import { formatAddress, type TeammateSpec } from './executor.ts';
import { identifyHome, paneVariable, parsePaneMark } from './pane-mark.ts';
import { locatePaneFiles, readPaneRecord } from './pane-records.ts';

/** What a process in a pane is to do: everything but its address, which is all that its arguments say. */
export interface TeammateLaunch extends TeammateSpec {
  readonly format: 1;
  readonly token: string;
}

const maxLaunchBytes = 5_000_000;

export function writeLaunch(place: TeamPlace, launch: TeammateLaunch, { disk }: Machine): Result<void> {
  const { launch: path } = locatePaneFiles(place, launch.token);
  return writeAtomic(path, `${JSON.stringify(launch)}\n`, 0o600, `${nameByProcess()}.tmp`, undefined, disk);
}

/**
 * The launch file of the process that runs this, for `--team-member NAME@TEAM`. It is removed: it is for one process, and may
 * hold keys. The process is noted beside it, so that the leader can end it whatever became of its pane.
 */
export function takeLaunch(
  home: string,
  address: string,
  environment: Readonly<Record<string, string | undefined>>,
  machine: Machine,
): Result<TeammateLaunch> {
  const [name = '', team = '', ...rest] = address.split('@');
  if (!isTeamName(name) || !isTeamName(team) || rest.length > 0)
    return usage(`--team-member ${address}: expected NAME@TEAM.`, joinHint);
  const mark = parsePaneMark(environment[paneVariable] ?? '');
  if (mark?.team !== team || mark.name !== name || mark.home !== identifyHome(home))
    return usage(`--team-member ${address} is for panes that a team's leader opens.`, joinHint);
  const place = locateTeam(home, team);
  const { launch: path, process } = locatePaneFiles(place, mark.token);
  const found = checkLaunch(parseJson(readSmallText(path, maxLaunchBytes, machine.disk) ?? ''), address);
  if (!found || !readPaneRecord(place, mark.token, machine)) return describeLate(address);
  const noted = writeAtomic(
    process,
    `${JSON.stringify(machine.self())}\n`,
    0o600,
    `${nameByProcess()}.tmp`,
    undefined,
    machine.disk,
  );
  if (!noted.ok) return noted;
  removeQuietly(path, machine.disk);
  if (readPaneRecord(place, mark.token, machine)) return ok(found);
  // Ended by the leader in this very moment.
  removeQuietly(process, machine.disk);
  return describeLate(address);
}

function describeLate(address: string): Result<never> {
  return failure(`The leader of the team no longer waits for ${address}.`, joinHint);
}

const joinHint = 'To join a team with a session of your own, run: cadre team join TEAM';

/** Written by a leader of the same version or another one: fields that are not known are left out. */
function checkLaunch(found: unknown, address: string): TeammateLaunch | undefined {
  const { data } = schema.safeParse(found);
  return data && formatAddress(data) === address ? data : undefined;
}

const text = form.string();

const schema = form.object({
  format: form.literal(1),
  token: text,
  name: text,
  team: text,
  colour: text,
  agentId: text,
  taskId: text,
  sessionId: text,
  prompt: text,
  cwd: text,
  agentType: text.optional(),
  description: text.optional(),
  model: text.optional(),
  permissionMode: text.optional(),
  worktree: text.optional(),
  isResumed: form.boolean().optional(),
  environment: form.record(text).optional(),
  session: form.record(form.unknown()).optional(),
});
