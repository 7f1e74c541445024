import { readBoundedText } from '../lib/files/read-bounded.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import { callAs } from '../loop/call-as.ts';
import { readFilter } from '../permissions/read-filter.ts';
import { type AgentEvent, type ToolResult, textOf } from '../protocol/index.ts';
import { openDirectory } from '../workspace/working-directory.ts';
import { type CheckFindings, toCheckFindings } from './check-findings.ts';
import type { CheckQueue } from './check-queue.ts';
import { type CheckDefinitions, defineChecks } from './definitions.ts';
import { type CheckSettings, findChecks } from './find-checks.ts';
import { type ProjectFiles, systemProjectFiles } from './project-files.ts';
import { type CommandPort, type CommandRan, runChecks } from './run-checks.ts';
import type { ProjectCheckName } from './types.ts';

/** `Bash` takes no longer limit. */
const maxTimeoutMs = 600_000;
const maxOutputBytes = 32 * 1024 * 1024;

/** Commands in an agent's name: hooks, judgement, questions, sandbox and output limits are those of its own `Bash` calls. */
export function agentCommandPort(agent: AgentContext, publish: (event: AgentEvent) => void): CommandPort {
  return {
    async runCommand(command, { cwd, signal, timeoutMs }) {
      const hands = { ...agent.hands, directory: openDirectory(agent.hands.directory.root, cwd) };
      const input = { command, timeout: Math.min(timeoutMs, maxTimeoutMs) };
      const use = { type: 'tool_use' as const, id: `check_${agent.ids.uuid()}`, name: 'Bash', input };
      const call = callAs({ ...agent, hands, signal }, use);
      for (;;) {
        const step = await call.next();
        if (step.done) return readResult(step.value);
        publish(step.value);
      }
    },
  };
}

/** Without a receipt it did not run: it was refused, or could not be started. */
function readResult({ content, receipt }: ToolResult): CommandRan {
  const text = textOf(content);
  if (!receipt) return { exitCode: null, output: '', refused: text };
  const whole =
    receipt.outputFile === undefined ? undefined : readBoundedText(receipt.outputFile, maxOutputBytes);
  return {
    exitCode: receipt.exitCode,
    output: whole ?? text,
    digest: receipt.output,
    timedOut: receipt.timedOut === true,
  };
}

/** What the agent may not read does not reach it as a report either. */
function openAgentFiles({ permissions }: AgentContext): ProjectFiles {
  const mayRead = readFilter(permissions);
  const { readSince } = systemProjectFiles;
  return {
    ...systemProjectFiles,
    readSince: (path, since) => (mayRead(path) ? readSince(path, since) : undefined),
  };
}

export interface AgentChecks {
  /** Runs the project's checks, or those that are named, and returns them as HO1's findings. */
  run(signal: AbortSignal, only?: readonly ProjectCheckName[]): Promise<Partial<CheckFindings>>;
  /** What says what they do now. */
  define(): CheckDefinitions;
}

/** The project's checks where an agent works, run in its name. */
export function openAgentChecks(
  agent: AgentContext,
  options: {
    root: string;
    settings?: CheckSettings | undefined;
    queue?: CheckQueue | undefined;
    publish(event: AgentEvent): void;
  },
): AgentChecks {
  const { root, settings, queue, publish } = options;
  const find = () =>
    findChecks({ cwd: agent.hands.directory.current, root, listing: systemProjectFiles, settings });
  return {
    define: () => defineChecks(find(), systemProjectFiles),
    async run(signal, only) {
      const report = await runChecks({
        ...{ found: find(), only, listing: openAgentFiles(agent), clock: agent.clock, signal, queue },
        port: agentCommandPort(agent, publish),
      });
      return toCheckFindings(report);
    },
  };
}
