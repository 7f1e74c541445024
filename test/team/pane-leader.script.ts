import { type Disk, systemDisk } from '../../src/lib/files/disk.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { ok } from '../../src/lib/result.ts';
import { openBackend } from '../../src/team/executors/open-executor.ts';
import type { PaneBackend } from '../../src/team/executors/pane-backend.ts';
import { paneExecutor } from '../../src/team/executors/pane-executor.ts';
import { type LeaderTask, newWorld } from './pane-leader.ts';

/** A leader in its own process: opens panes, says so, and waits to be killed; or kills itself at one step of the way. */
const task = JSON.parse(process.argv[2] ?? '') as LeaderTask;

let steps = 0;
/** Every step that changes anything outside this process, before it and after it. */
function step<T>(act: () => T): T {
  crash();
  const done = act();
  crash();
  return done;
}

function crash(): void {
  if (++steps === task.crashAt) process.kill(process.pid, 'SIGKILL');
}

const disk: Disk = {
  ...systemDisk,
  open: (path, how) =>
    how.access === 'read' ? systemDisk.open(path, how) : step(() => systemDisk.open(path, how)),
  rename: (path, target) => step(() => systemDisk.rename(path, target)),
  unlink: (path) => step(() => systemDisk.unlink(path)),
  makeDirectory: (path) => step(() => systemDisk.makeDirectory(path)),
};

const world = { ...newWorld(task), machine: { ...systemMachine, disk }, askToEnd: async () => ok(undefined) };
const opened = openBackend(task.type, world);
if (!opened.ok) throw new Error(opened.problem.message);
const real = opened.value;
const backend: PaneBackend = {
  ...real,
  async open(wish) {
    crash();
    const pane = await real.open(wish);
    crash();
    return pane;
  },
  async close(id) {
    crash();
    const closed = await real.close(id);
    crash();
    return closed;
  },
};
const executor = paneExecutor(backend, world);
for (const spec of task.specs) {
  const spawned = await executor.spawn(spec);
  if (!spawned.ok) throw new Error(spawned.problem.message);
}
if (task.endsThem) for (const spec of task.specs) await executor.kill(spec);
process.stdout.write(`opened after ${steps} steps\n`);
setInterval(() => {}, 1_000_000);
