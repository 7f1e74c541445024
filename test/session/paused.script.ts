import { systemMachine } from '../../src/lib/machine.ts';
import type { AgentEvent } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import { call, say, scriptedModel, type Turn } from '../../src/testing/index.ts';

/** A session whose process is stopped by the test at a point that it names; what happens after it is woken is printed. */
const [cwd = '', environment = '{}', point = ''] = process.argv.slice(2);
const lines = console[Symbol.asyncIterator]();
const reach = async () => {
  console.log('reached');
  await lines.next();
};
const touch = call('Bash', { command: 'touch forbidden' });
const reachThen = (turn: ReturnType<typeof say>) => async () => {
  await reach();
  return turn;
};
const scripts: Record<string, Turn[]> = {
  idle: [say('First.'), touch],
  model: [reachThen(touch), say('Done.')],
  reading: [reachThen(call('Read', { file_path: `${cwd}/file` })), say('Done.')],
};
const model = scriptedModel(scripts[point] ?? []);
const machine = { ...systemMachine, uptime: () => systemMachine.uptime() * 100 };
const opened = await openSession({
  ...{ cwd, environment: JSON.parse(environment), model, machine, sandbox: false },
  permissionMode: 'bypassPermissions',
  allowBypass: true,
});
if (!opened.ok) throw new Error(opened.problem.message);
const session = opened.value;
const events: AgentEvent[] = [];
void (async () => {
  for await (const event of session.events()) events.push(event);
})();
const outcome = await session.run('Go.');
if (point === 'idle') await reach();
const sent = session.send({ type: 'prompt', content: 'Again.' });
await session.close();
const notices = events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
const tools = events.filter((event) => event.type === 'tool_started').length;
console.log(JSON.stringify({ outcome, sent, notices, tools }));
process.exit(0);
