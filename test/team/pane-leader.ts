import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import type { TeammateCommands } from '../../src/team/executors/command.ts';
import type { ExecutorType, TeammateSpec } from '../../src/team/executors/executor.ts';
import { findProgram } from '../../src/workspace/search-path.ts';
import type { PaneTest } from './panes-support.ts';

/** What a leader process is to do; JSON. */
export interface LeaderTask {
  type: Exclude<ExecutorType, 'in-process'>;
  home: string;
  environment: Record<string, string>;
  ownServer?: string;
  commands?: TeammateCommands;
  specs: TeammateSpec[];
  /** Ends the members again, once all are open. */
  endsThem?: boolean;
  /** Kills itself with SIGKILL at this step, counted from 1. */
  crashAt?: number;
}

export function newWorld({ home, environment, ownServer, commands }: Omit<LeaderTask, 'type' | 'specs'>) {
  return {
    ...{ home, machine: systemMachine, clock: systemClock, ids: randomIds, environment, commands },
    program: [process.execPath, join(import.meta.dirname, 'pane-member.script.ts')],
    findProgram: (name: string) => findProgram(name, environment.PATH ?? ''),
    ...(ownServer === undefined ? {} : { ownServer }),
  };
}

export interface Leader {
  /** How many steps it took to open all panes; undefined when it died on the way. */
  opened: number | undefined;
  kill(): Promise<void>;
}

/** Resolves when it has opened its panes, or has died. */
export async function startLeader(
  at: PaneTest,
  type: LeaderTask['type'],
  specs: TeammateSpec[],
  more: Pick<LeaderTask, 'crashAt' | 'endsThem'> = {},
): Promise<Leader> {
  const { environment, ownServer, commands } = at.world;
  const task = { type, home: at.home, environment, ownServer, commands, specs, ...more };
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'pane-leader.script.ts'), JSON.stringify(task)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const opened = await readFirstLine(child);
  return {
    opened: opened === undefined ? undefined : Number(/\d+/.exec(opened)?.[0]),
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function readFirstLine(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text);
    });
    child.once('exit', () => resolve(undefined));
  });
}
