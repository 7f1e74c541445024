import { type ChildProcess, spawn } from 'node:child_process';
import { processMark } from '../../src/lib/processes/mark.ts';
import { ok } from '../../src/lib/result.ts';
import type { PaneBackend } from '../../src/team/executors/pane-backend.ts';

/** A terminal in memory: a pane is a process with pipes. Its type is `command`, which says nothing of itself either. */
export function memoryPanes(): PaneBackend & { ids(): string[] } {
  const panes = new Map<string, ChildProcess>();
  const ids = () => [...panes.keys()].filter((id) => processMark(Number(id)).start !== '');
  return {
    type: 'command',
    recognisedBy: 'id',
    ids,
    isAvailable: async () => ok(undefined),
    async open({ command: [file = '', ...args], cwd }) {
      const child = spawn(file, args, { cwd, stdio: ['pipe', 'ignore', 'inherit'] });
      const { pid = 0 } = child;
      panes.set(`${pid}`, child);
      return ok({ id: `${pid}`, pid });
    },
    title: async () => ok(undefined),
    async send(id, line) {
      panes.get(id)?.stdin?.write(`${line}\n`);
      return ok(undefined);
    },
    list: async () => ok(ids().map((id) => ({ id }))),
    find: async (id) => ok(ids().includes(id) ? { id } : undefined),
    async close(id) {
      panes.get(id)?.kill('SIGHUP');
      return ok(undefined);
    },
  };
}
