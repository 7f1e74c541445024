/** One agent hands work to two others, which run side by side. The model is scripted, so that it runs without a key. */
import { type AgentEvent, openSession } from 'cadre';
import { call, calls, expecting, lastUserText, say, scriptedModel, toolResultText } from 'cadre/testing';

/** Agents by name, with the fields of an agent file and its prompt. This one can look and do nothing else. */
const agents = {
  counter: { description: 'Counts files.', tools: 'Glob', prompt: 'You count files. Answer with a number.' },
};

const lead = scriptedModel([
  calls([
    call('Agent', { subagent_type: 'counter', description: 'Count code', prompt: 'How many *.js files?' }),
    call('Agent', { subagent_type: 'counter', description: 'Count data', prompt: 'How many *.json files?' }),
  ]),
  // Both have reported; either may be first.
  expecting(
    (request) =>
      ['1 found: agents.js', '1 found: package.json'].every((report) =>
        toolResultText(request).includes(report),
      ),
    say('One program and one data file.'),
  ),
]);

/** The script of an agent. Its conversation begins with its prompt; it knows nothing of the one around it. */
const counter = scriptedModel((request) => {
  const pattern = /\*\.\w+/.exec(lastUserText(request))?.[0];
  if (pattern !== undefined) return call('Glob', { pattern });
  const names = toolResultText(request).split('\n');
  return say(`${names.length} found: ${names.join(', ')}`);
});

const opened = await openSession({
  // Who asks decides which script answers.
  model: {
    ...lead,
    stream: (request, signal) => (request.asker?.agentId == null ? lead : counter).stream(request, signal),
  },
  agents,
  persist: false,
});
if (!opened.ok) throw new Error(`${opened.problem.message} ${opened.problem.hint ?? ''}`);

const session = opened.value;
void showAgents(session.events());
const outcome = await session.run('What is in this directory?');
console.log(`${outcome.kind}: ${outcome.text}`);
await session.close();
lead.assertConsumed();

/** Whatever an agent does comes with its id. */
async function showAgents(events: AsyncIterable<AgentEvent>) {
  for await (const event of events)
    if (event.type === 'tool_started' && event.agentId !== null) console.log(`> an agent: ${event.toolName}`);
}
