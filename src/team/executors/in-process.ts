import { failure, ok, type Result } from '../../lib/result.ts';
import { type ExecutedMember, formatAddress, type TeammateExecutor, type TeammateSpec } from './executor.ts';

/** A teammate in this process. */
export interface RunningTeammate {
  readonly agentId: string;
  readonly taskId: string;
  sendMessage(text: string): Promise<Result<void>>;
  terminate(reason: string): Promise<Result<void>>;
  /** Resolves when it has ended. */
  kill(): Promise<Result<void>>;
  isActive(): boolean;
}

/**
 * Teammates in this process: they share its model client and its MCP connections. `start` is handed in by whoever runs
 * agents. They end with the process, so nothing of them is left for a restarted leader to find.
 */
export function inProcessExecutor(
  start: (spec: TeammateSpec) => Promise<Result<RunningTeammate>>,
): TeammateExecutor {
  const running = new Map<string, RunningTeammate>();
  const find = (member: ExecutedMember): RunningTeammate | undefined => {
    const address = formatAddress(member);
    const found = running.get(address);
    if (!found || found.isActive()) return found;
    running.delete(address);
    return undefined;
  };
  return {
    type: 'in-process',
    isAvailable: async () => ok(undefined),
    async spawn(spec) {
      const address = formatAddress(spec);
      if (find(spec))
        return failure(`${address} is already running.`, 'Choose another name, or end it first.');
      const started = await start(spec);
      if (!started.ok) return started;
      const teammate = started.value;
      running.set(address, teammate);
      const { agentId, taskId } = teammate;
      return ok({ agentId, taskId, abort: () => void teammate.kill() });
    },
    async sendMessage(member, text) {
      return (await find(member)?.sendMessage(text)) ?? describeAbsence(member);
    },
    async terminate(member, reason) {
      return (await find(member)?.terminate(reason)) ?? ok(undefined);
    },
    async kill(member) {
      return (await find(member)?.kill()) ?? ok(undefined);
    },
    isActive: async (member) => find(member) !== undefined,
  };
}

export function describeAbsence(member: ExecutedMember): Result<never> {
  return failure(`${formatAddress(member)} is not running.`, 'Start it again, or write to another member.');
}
