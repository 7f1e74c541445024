import { dirname } from 'node:path';
import type { AgentContext } from '../loop/agent-context.ts';
import type { FileHistoryRecord, FileLeases, Outputs, ShellSandbox, TodoItem } from '../protocol/index.ts';
import { createFileHistory } from '../store/file-history.ts';
import { openFileLedger } from '../store/file-ledger.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { type CapturedEnvironment, captureEnvironment } from '../tools/shell-environment.ts';
import { workPlaces } from '../workspace/search-path.ts';
import { openDirectory, openFileStates } from '../workspace/working-directory.ts';
import type { Identity } from './identity.ts';
import type { SessionLog } from './log.ts';
import type { Surroundings } from './surroundings.ts';

export interface HandsOptions {
  leases: FileLeases;
  sandbox: ShellSandbox | undefined;
  identity: Identity;
  around: Surroundings;
  environment: Record<string, string>;
  /** Directories of the workspace besides those around the start. */
  directories: readonly string[];
  /** Variables that commands get besides the usual ones. */
  allowedVariables: readonly string[];
  log: SessionLog;
  tasks: Tasks;
  outputs: Outputs;
  maxOutputCharacters: number | undefined;
  onTape: boolean;
  /** What is known of files that were edited before the session was opened. */
  edited: readonly FileHistoryRecord[] | undefined;
  todosChanged(todos: TodoItem[]): void;
}

/** What the lead's tools work with. */
export function createHands(options: HandsOptions): AgentContext['hands'] & { shell: CapturedEnvironment } {
  const { identity, around, log, tasks, outputs } = options;
  return {
    directory: openDirectory(around.root, around.cwd),
    files: openFileStates(),
    // On a tape nothing is noticed: a replay would have to notice the same.
    history: options.onTape
      ? createFileHistory(identity.files.fileHistory, (record) => log.append(record), around.clock)
      : openFileLedger({
          directory: identity.files.fileHistory,
          append: (record) => log.append(record),
          clock: around.clock,
          ...(options.edited ? { earlier: options.edited } : {}),
        }),
    outputs,
    shell: captureEnvironment({
      ...(options.sandbox ? { sandbox: options.sandbox } : {}),
      shell: around.shell,
      home: around.userHome,
      places: [around.root, ...workPlaces(around.cwd), ...options.directories],
      env: options.environment,
      allow: options.allowedVariables,
      secrets: around.secrets,
      owner: identity.id,
      ...(options.maxOutputCharacters === undefined
        ? {}
        : { maxOutputCharacters: options.maxOutputCharacters }),
      fifoDirectory: () => dirname(outputs.pathFor('pipe')),
      clock: around.outside.clock,
    }),
    tasks,
    todos: { replace: (items) => options.todosChanged(items) },
    secrets: around.secrets,
    leases: options.leases,
  };
}
