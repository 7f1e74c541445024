import { keepDefined } from '../../lib/fields/keep-defined.ts';
import { systemMachine } from '../../lib/machine.ts';
import { ok, type Result } from '../../lib/result.ts';
import { permissionModes } from '../../protocol/index.ts';
import type { SessionOptions } from '../../session/options.ts';
import { lookAround } from '../../session/surroundings.ts';
import { isOfTerminal } from '../../session/team/pane-environment.ts';
import { readPassedSession } from '../../session/team/read-part.ts';
import { takeLaunch } from '../../team/executors/launch.ts';

/** The options of a session in a pane, from the launch file of its leader: those of the leader's session, and its own part. */
export function readTeamPart(session: SessionOptions, address: string): Result<SessionOptions> {
  const { home, environment } = lookAround(session);
  const launch = takeLaunch(home, address, environment, systemMachine);
  if (!launch.ok) return launch;
  const { cwd, sessionId, isResumed, agentType, model, worktree } = launch.value;
  const passed = readPassedSession(launch.value.session);
  if (!passed.ok) return passed;
  const mode = permissionModes.find((known) => known === launch.value.permissionMode);
  const own = Object.fromEntries(Object.entries(environment).filter(([name]) => isOfTerminal(name)));
  return ok({
    ...session,
    ...passed.value.options,
    ...{ cwd, teamPart: passed.value.part, environment: { ...own, ...launch.value.environment } },
    ...(isResumed ? { resume: { from: 'id', id: sessionId } } : { sessionId }),
    ...keepDefined({ agent: agentType, model, permissionMode: mode, worktree }),
    onTeamEnd: leaveProcess,
  });
}

/** As if its terminal were closed: every surface ends its session properly then. */
export function leaveProcess(): void {
  process.kill(process.pid, 'SIGTERM');
}
