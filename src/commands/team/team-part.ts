import { systemMachine } from '../../lib/machine.ts';
import { ok, type Result } from '../../lib/result.ts';
import { permissionModes } from '../../protocol/index.ts';
import type { SessionOptions } from '../../session/options.ts';
import { lookAround } from '../../session/surroundings.ts';
import { takeLaunch } from '../../team/executors/launch.ts';

/** The options of a session in a pane, from the launch file of its leader. */
export function readTeamPart(session: SessionOptions, address: string): Result<SessionOptions> {
  const { home, environment } = lookAround(session);
  const launch = takeLaunch(home, address, environment, systemMachine);
  if (!launch.ok) return launch;
  const { prompt, cwd, sessionId, isResumed, agentType, model, permissionMode, planRequired } = launch.value;
  const mode = permissionModes.find((known) => known === (planRequired ? 'plan' : permissionMode));
  return ok({
    ...session,
    ...{ cwd, teamTask: prompt, environment: { ...launch.value.environment, ...environment } },
    ...(isResumed ? { resume: { from: 'id', id: sessionId } } : { sessionId }),
    ...(agentType === undefined ? {} : { agent: agentType }),
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined ? {} : { permissionMode: mode }),
    onTeamEnd: leaveProcess,
  });
}

/** As if its terminal were closed: every surface ends its session properly then. */
export function leaveProcess(): void {
  process.kill(process.pid, 'SIGTERM');
}
