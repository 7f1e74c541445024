import { existsSync } from 'node:fs';
import { pipeDirectory } from '../../lib/files/fifo.ts';
import { ownerVariable } from '../../lib/processes/process.ts';
import type { AgentContext } from '../../loop/agent-context.ts';
import { InFlight } from '../../permissions/in-flight.ts';
import type {
  CommandFilesRecord,
  FileHistory,
  FileHistoryRecord,
  ShellSandbox,
  WorkingDirectory,
} from '../../protocol/index.ts';
import { createFileHistory } from '../../store/files/file-history.ts';
import { type FileLedger, openFileLedger } from '../../store/files/file-ledger.ts';
import { createOutputs } from '../../store/outputs.ts';
import { type CapturedEnvironment, captureEnvironment } from '../../tools/bash/environment.ts';
import { workPlaces } from '../../workspace/search-path.ts';
import { openDirectory, openFileStates } from '../../workspace/working-directory.ts';
import { findEnteredWorktree } from '../../workspace/workspace.ts';
import type { Kernel } from '../kernel.ts';
import type { SessionLeases } from '../leases.ts';
import type { SessionFeature } from '../opening.ts';
import { checkNotLost } from '../owner.ts';
import type { LeadPermissions } from '../permissions.ts';
import { allowedVariables } from '../surroundings.ts';

/** The hands of the lead: its directory, its shell, and the files that it read and changed. */
export interface LeadHands {
  hands: AgentContext['hands'] & { shell: CapturedEnvironment; history: FileHistory | FileLedger };
  /** Prepares in advance what a first shell command would wait for. */
  warm(): void;
  /**
   * Records which files commands and other programs changed, before every run, so that each prompt has its own state.
   */
  observeFiles(): Promise<void>;
}

export function handsFeature(
  permissions: LeadPermissions,
  leases: SessionLeases,
  sandbox: (ShellSandbox & { probe(): Promise<unknown> }) | undefined,
): SessionFeature<LeadHands> {
  return {
    name: 'hands',
    open(kernel) {
      const { tape } = kernel;
      const directory = openDirectory(kernel.place.root, kernel.place.cwd);
      const shell = openShell(kernel, permissions, sandbox);
      const history = openHistory(kernel, permissions, directory);
      const { place, tasks, events, identity } = kernel;
      return {
        hands: {
          directory,
          files: openFileStates(),
          history,
          outputs: createOutputs(identity.files.toolResults),
          shell,
          tasks,
          todos: { replace: (todos) => events.tell({ type: 'todos_changed', todos }) },
          secrets: place.secrets,
          leases: leases.forAgent(null),
          inFlight: new InFlight(),
          gate: kernel.steps.gate,
          journalCopy: kernel.options.journalCopy,
        },
        warm() {
          if (tape?.isReplay) return;
          shell.warm();
          void sandbox?.probe();
        },
        async observeFiles() {
          await history.settleCommands?.();
          history.observe?.('outside', '');
        },
        async close() {
          shell.fifos.close();
          if ('close' in history) await history.close();
        },
      };
    },
  };
}

function openShell(
  { identity, place, settings, environment }: Kernel,
  permissions: LeadPermissions,
  sandbox: ShellSandbox | undefined,
): CapturedEnvironment {
  const maxOutputCharacters = settings.bashOutputMaxChars;
  const { directories } = permissions.context().workspace;
  return captureEnvironment({
    ...(sandbox ? { sandbox } : {}),
    shell: place.shell,
    home: place.userHome,
    places: [place.root, ...workPlaces(place.cwd), ...directories],
    env: environment,
    allow: allowedVariables(settings),
    secrets: place.secrets,
    owner: identity.id,
    ...(maxOutputCharacters === undefined ? {} : { maxOutputCharacters }),
    fifoDirectory: () => pipeDirectory(place.layout.home),
    foundPath: (path) => permissions.programs.settle(path),
    clock: place.outside.clock,
  });
}

/**
 * With a tape no changes are recorded: a replay would have to find the same ones. Without a transcript there is no
 * going back.
 */
function openHistory(
  { identity, place, log, restored, tape, environment, events, claim }: Kernel,
  permissions: LeadPermissions,
  directory: WorkingDirectory,
): FileHistory | FileLedger {
  const { fileHistory, snapshot } = identity.files;
  const { root, cwd } = place;
  const earlier = identity.goesOn ? restored : undefined;
  const append = (record: FileHistoryRecord | CommandFilesRecord) => log.append(record);
  if (tape) return createFileHistory(fileHistory, append, place.clock);
  return openFileLedger({
    ...{ directory: fileHistory, append, clock: place.clock, notify: (text) => events.warn(text) },
    check: () => checkNotLost(claim),
    ...(earlier ? { earlier: earlier.edited } : {}),
    ...(log.path === null
      ? {}
      : {
          hasEarlier: earlier !== undefined && (earlier.changedByCommands.length > 0 || existsSync(snapshot)),
          async openSnapshot(isEdited) {
            const { openSessionSnapshot } = await import('../../rewind/snapshot.ts');
            return openSessionSnapshot({
              ...{ files: identity.files, sessionId: identity.id, around: place, append, isEdited },
              mayWrite: () => checkNotLost(claim).ok,
              // A git operation that still runs when this process is killed is found at the next start.
              env: { ...environment, [ownerVariable]: identity.id },
              roots: () => [
                ...[root, cwd, ...permissions.context().workspace.directories],
                ...[findEnteredWorktree(directory.current, root)].filter((path) => path !== undefined),
              ],
              earlier: earlier?.changedByCommands ?? [],
            });
          },
        }),
  });
}
