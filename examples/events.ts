/** Follows a session as it works. The model is scripted, so that it runs without a key. */
import { openSession } from 'cadre';
import { call, say, scriptedModel } from 'cadre/testing';

const model = scriptedModel([call('Bash', { command: 'echo hello' }), say('The shell works.')]);
const opened = await openSession({ model, allowedTools: ['Bash(echo:*)'], persist: false });
if (!opened.ok) throw new Error(`${opened.problem.message} ${opened.problem.hint ?? ''}`);

const session = opened.value;
const events = session.events();
session.send({ type: 'prompt', content: 'Try the shell.' });
for await (const event of events) {
  if (event.type === 'tool_started') console.log(`> ${event.toolName}: ${event.summary}`);
  if (event.type === 'run_ended') {
    console.log(`${event.outcome.kind}: ${event.outcome.text}`);
    break;
  }
}
await session.close();
model.assertConsumed();
