import { test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { processMark } from '../../src/lib/processes/mark.ts';
import { signalQuietly } from '../../src/lib/processes/process.ts';
import type { ExecutorType, TeammateExecutor } from '../../src/team/executors/executor.ts';
import { paneExecutor } from '../../src/team/executors/pane-executor.ts';
import { needs } from '../support/index.ts';
import { type ExecutorCase, executorConformance } from './executor-conformance.ts';
import { memoryPanes } from './memory-panes.ts';
import {
  insideOf,
  installIt2,
  nameServer,
  newPaneTest,
  openPanes,
  type PaneTest,
  startServer,
  type TestServer,
  tmuxCommands,
} from './panes-support.ts';

const tmuxTest = needs('tmux');

executorConformance('command', openInMemory, test, 'in memory');
executorConformance('tmux', () => openInside(startServer()), tmuxTest);
executorConformance('iterm2', () => openIterm(startServer()), tmuxTest);
executorConformance('command', () => openAnyTerminal(startServer()), tmuxTest);

function openInside(server: TestServer): ExecutorCase {
  return openCase('tmux', server, newPaneTest(insideOf(server), { ownServer: nameServer().name }));
}

function openIterm(server: TestServer): ExecutorCase {
  const at = newPaneTest();
  const { bin } = installIt2(server, at.home);
  const environment = { ...at.world.environment, PATH: `${bin}:${at.world.environment.PATH}` };
  const [session = ''] = server.panes('w0t0p0:SESSION-#{pane_id}').map((line) => line.replace('%', ''));
  return openCase('iterm2', server, newPaneTest({ PATH: environment.PATH, ITERM_SESSION_ID: session }));
}

function openAnyTerminal(server: TestServer): ExecutorCase {
  return openCase('command', server, newPaneTest({}, { commands: tmuxCommands(server) }));
}

function openInMemory(): ExecutorCase {
  const at = newPaneTest();
  const panes = memoryPanes();
  return watchCase(paneExecutor(panes, at.world), at, () => panes.ids());
}

function openCase(type: Exclude<ExecutorType, 'in-process'>, server: TestServer, at: PaneTest): ExecutorCase {
  const before = server.panes();
  const listNew = () => server.panes().filter((pane) => !before.includes(pane));
  return watchCase(openPanes(type, at).executor, at, listNew);
}

function watchCase(executor: TeammateExecutor, at: PaneTest, listPanes: () => string[]): ExecutorCase {
  const pids = new Map<string, number>();
  return {
    ...{ executor, spec: at.spec, typed: at.typed, asked: at.asked },
    async received(name) {
      const { pid, launch } = await at.started(name);
      pids.set(name, pid);
      return launch;
    },
    async finish(name) {
      signalQuietly(pids.get(name) ?? 0, 'SIGTERM');
    },
    leftovers: () => [
      ...listPanes(),
      ...listPaneFiles(at),
      ...[...pids.values()].filter((pid) => processMark(pid).start !== '').map(String),
    ],
  };
}

function listPaneFiles({ home }: PaneTest): string[] {
  const directory = join(home, 'teams', 'docs', 'panes');
  return existsSync(directory) ? readdirSync(directory) : [];
}
