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
/** The lead is done; its agent in the background is asked for its first turn, and would run a command. */
let leadTurns = 0;
const companion: Turn = ({ asker }) => {
  if (asker?.agentId != null) return reachThen(touch)();
  const job = { description: 'Work', prompt: 'Work.', subagent_type: 'general-purpose' };
  return leadTurns++ === 0 ? call('Agent', { ...job, run_in_background: true }) : say('Started.');
};
const scripts: Record<string, Turn[]> = {
  agent: [companion, companion, companion, companion],
  confined: [call('Bash', { command: 'pwd > /dev/null' }), reachThen(touch), say('Done.')],
  idle: [say('First.'), touch],
  model: [reachThen(touch), say('Done.')],
  reading: [reachThen(call('Read', { file_path: `${cwd}/file` })), say('Done.')],
};
const model = scriptedModel(scripts[point] ?? []);
const machine = { ...systemMachine, uptime: () => systemMachine.uptime() * 100 };
const opened = await openSession({
  ...{ cwd, environment: JSON.parse(environment), model, machine, sandbox: point === 'confined' },
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
if (point === 'agent') await session.finished(new AbortController().signal);
const sent = session.send({ type: 'prompt', content: 'Again.' });
await session.close();
const notices = events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
const tools = events.filter((event) => event.type === 'tool_started').length;
console.log(JSON.stringify({ outcome, sent, notices, tools, loss: session.loss?.message }));
process.exit(0);
