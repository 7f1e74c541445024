import { existsSync } from 'node:fs';
import { pipeDirectory } from '../lib/fifo.ts';
import type { AgentContext } from '../loop/agent-context.ts';
import type {
  CommandFilesRecord,
  FileHistory,
  FileHistoryRecord,
  FileLeases,
  Outputs,
  ShellSandbox,
  TodoItem,
} from '../protocol/index.ts';
import { createFileHistory } from '../store/file-history.ts';
import { type FileLedger, openFileLedger } from '../store/file-ledger.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { type CapturedEnvironment, captureEnvironment } from '../tools/shell-environment.ts';
import { workPlaces } from '../workspace/search-path.ts';
import { openDirectory, openFileStates } from '../workspace/working-directory.ts';
import type { Identity } from './identity.ts';
import type { SessionLog } from './log.ts';
import type { Restored } from './restore.ts';
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
  /** What is known of files that were changed before the session was opened. */
  earlier: Pick<Restored, 'edited' | 'changedByCommands'> | undefined;
  /** The directories that commands work in. */
  roots(): readonly string[];
  todosChanged(todos: TodoItem[]): void;
  /** Tells the user something of importance. */
  notify(text: string): void;
}

/** What the lead's tools work with. */
export function createHands(
  options: HandsOptions,
): AgentContext['hands'] & { shell: CapturedEnvironment; history: FileHistory | FileLedger } {
  const { identity, around, tasks, outputs } = options;
  return {
    directory: openDirectory(around.root, around.cwd),
    files: openFileStates(),
    history: openHistory(options),
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
      fifoDirectory: () => pipeDirectory(around.layout.home),
      clock: around.outside.clock,
    }),
    tasks,
    todos: { replace: (items) => options.todosChanged(items) },
    secrets: around.secrets,
    leases: options.leases,
  };
}

/** On a tape nothing is noticed: a replay would have to notice the same. Without a transcript nobody can go back. */
function openHistory(options: HandsOptions): FileHistory | FileLedger {
  const { identity, around, log, earlier } = options;
  const { fileHistory, snapshot } = identity.files;
  const append = (record: FileHistoryRecord | CommandFilesRecord) => log.append(record);
  if (options.onTape) return createFileHistory(fileHistory, append, around.clock);
  return openFileLedger({
    ...{ directory: fileHistory, append, clock: around.clock, notify: (text) => options.notify(text) },
    ...(earlier ? { earlier: earlier.edited } : {}),
    ...(log.path === null
      ? {}
      : {
          hasEarlier: earlier !== undefined && (earlier.changedByCommands.length > 0 || existsSync(snapshot)),
          async openSnapshot(isEdited) {
            const { openSessionSnapshot } = await import('./open-snapshot.ts');
            return openSessionSnapshot({
              ...{ files: identity.files, sessionId: identity.id, around, append, isEdited },
              env: options.environment,
              roots: () => options.roots(),
              earlier: earlier?.changedByCommands ?? [],
            });
          },
        }),
  });
}
