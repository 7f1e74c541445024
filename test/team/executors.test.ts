import { test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { processMark } from '../../src/lib/processes/mark.ts';
import { signalQuietly } from '../../src/lib/processes/process.ts';
import { ok } from '../../src/lib/result.ts';
import type { ExecutorType, TeammateSpec } from '../../src/team/executors/executor.ts';
import { inProcessExecutor } from '../../src/team/executors/in-process.ts';
import { cleanLine } from '../../src/team/executors/pane-text.ts';
import { needs } from '../support/index.ts';
import { type ExecutorCase, executorConformance } from './executor-conformance.ts';
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

executorConformance('in-process', openHere, test);
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

function openCase(type: Exclude<ExecutorType, 'in-process'>, server: TestServer, at: PaneTest): ExecutorCase {
  const before = server.panes();
  const { executor } = openPanes(type, at);
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
      ...server.panes().filter((pane) => !before.includes(pane)),
      ...listPaneFiles(at),
      ...[...pids.values()].filter((pid) => processMark(pid).start !== '').map(String),
    ],
  };
}

function listPaneFiles({ home }: PaneTest): string[] {
  const directory = join(home, 'teams', 'docs', 'panes');
  return existsSync(directory) ? readdirSync(directory) : [];
}

/** Teammates that only keep what they get. */
function openHere(): ExecutorCase {
  const at = newPaneTest();
  const running = new Map<string, { spec: TeammateSpec; typed: string; isActive: boolean }>();
  const executor = inProcessExecutor(async (spec) => {
    const teammate = { spec, typed: '', isActive: true };
    running.set(spec.name, teammate);
    const end = async () => {
      teammate.isActive = false;
      return ok(undefined);
    };
    return ok({
      ...{ agentId: spec.agentId, taskId: spec.taskId, kill: end, isActive: () => teammate.isActive },
      async sendMessage(text: string) {
        teammate.typed += `${cleanLine(text)}\n`;
        return ok(undefined);
      },
      async terminate(reason: string) {
        return at.world.askToEnd({ name: spec.name, team: spec.team }, reason);
      },
    });
  });
  return {
    ...{ executor, spec: at.spec, asked: at.asked },
    async received(name) {
      const found = running.get(name);
      if (!found) throw new Error(`${name} was not started`);
      return found.spec;
    },
    typed: (name) => running.get(name)?.typed ?? '',
    leftovers: () => [...running.values()].filter(({ isActive }) => isActive).map(({ spec }) => spec.name),
    async finish(name) {
      const found = running.get(name);
      if (found) found.isActive = false;
    },
  };
}
