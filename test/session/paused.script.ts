import { existsSync, readSync, writeSync } from 'node:fs';
import { systemMachine } from '../../src/lib/machine.ts';
import type { AgentEvent } from '../../src/protocol/index.ts';
import type { Feature } from '../../src/session/feature.ts';
import { openSession } from '../../src/session/open.ts';
import { call, say, scriptedModel, type Turn } from '../../src/testing/index.ts';
import { until } from '../support/until.ts';

/** A session whose process is stopped by the test at a point that it names; what happens after it is woken is printed. */
const [cwd = '', environment = '{}', point = ''] = process.argv.slice(2);
const lines = console[Symbol.asyncIterator]();
const reach = async () => {
  console.log('reached');
  await lines.next();
};
/** Nothing else runs meanwhile. */
function waitForLine(): void {
  for (;;)
    try {
      readSync(0, new Uint8Array(1));
      return;
    } catch {
      // Nothing has been written yet.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
}
const touch = call('Bash', { command: 'touch forbidden' });
const reachThen = (turn: ReturnType<typeof say>) => async () => {
  await reach();
  return turn;
};
/** The lead is done; its agent in the background is asked for its first turn, and would run a command. */
let leadTurns = 0;
const companion: Turn = ({ asker }) => {
  if (asker?.agentId != null) return reachThen(touch)();
  const job = {
    ...{ description: 'Work', prompt: 'Work.', subagent_type: 'general-purpose' },
    ...(point === 'worktree' || point === 'making' ? { isolation: 'worktree' } : {}),
  };
  return leadTurns++ === 0 ? call('Agent', { ...job, run_in_background: true }) : say('Started.');
};
const scripts: Record<string, Turn[]> = {
  agent: [companion, companion, companion, companion],
  command: [call('Bash', { command: 'touch made' }), reachThen(touch), say('Done.')],
  features: [call('Bash', { command: 'touch made' }), reachThen(touch), say('Done.')],
  spawning: [call('Bash', { command: 'touch made' }), touch, say('Done.')],
  'spawning confined': [call('Bash', { command: 'touch made' }), touch, say('Done.')],
  team: [call('TeamCreate', { team_name: 'crew' }), reachThen(touch), say('Done.')],
  worktree: [companion, companion, companion, companion],
  making: [companion, companion, companion, companion],
  confined: [call('Bash', { command: 'pwd > /dev/null' }), reachThen(touch), say('Done.')],
  idle: [say('First.'), touch],
  model: [reachThen(touch), say('Done.')],
  reading: [reachThen(call('Read', { file_path: `${cwd}/file` })), say('Done.')],
};
const model = scriptedModel(scripts[point] ?? []);
const machine = { ...systemMachine, uptime: () => systemMachine.uptime() * 100 };
let closed: unknown;
let commands = 0;
/** Holds the whole process when a command has been recorded as begun and was not started yet. */
const watcher: Feature = {
  name: 'watcher',
  open({ events }) {
    events.listen((event) => {
      if (!point.startsWith('spawning') || event.type !== 'tool_started' || ++commands < 2) return;
      writeSync(1, 'reached\n');
      waitForLine();
    });
    return {
      close(end) {
        closed = end;
      },
    };
  },
};
const hook = { hooks: [{ type: 'command' as const, command: `touch ${cwd}/hook-ran` }] };
const opened = await openSession({
  ...{ cwd, environment: JSON.parse(environment), model, machine, sandbox: point.includes('confined') },
  ...(point === 'features' ? { settings: JSON.stringify({ hooks: { SessionEnd: [hook] } }) } : {}),
  features: [watcher],
  permissionMode: 'bypassPermissions',
  allowBypass: true,
});
if (!opened.ok) throw new Error(opened.problem.message);
const session = opened.value;
const events: AgentEvent[] = [];
void (async () => {
  for await (const event of session.events()) events.push(event);
})();
/** Git waits while it makes a worktree. */
if (point === 'making')
  void until(() => existsSync(`${JSON.parse(environment).HOME}/adding`)).then(() => console.log('reached'));
const outcome = await session.run('Go.');
if (point === 'idle') await reach();
if (['agent', 'worktree', 'making'].includes(point)) await session.finished(new AbortController().signal);
const sent = session.send({ type: 'prompt', content: 'Again.' });
await session.close();
const notices = events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
const tools = events.filter((event) => event.type === 'tool_started').length;
console.log(JSON.stringify({ outcome, sent, notices, tools, closed, loss: session.loss?.message }));
process.exit(0);
