import { type AgentEvent, openSession } from 'cadre';

const opened = await openSession({
  tools: ['Read', 'Grep', 'Glob'],
  maxTurns: 20,
  onQuestion: async (question) => ({ behaviour: 'deny', message: `Not now: ${question.summary}` }),
});
if (!opened.ok) throw new Error(`${opened.problem.message} ${opened.problem.hint ?? ''}`);

const session = opened.value;
void showTools(session.events());
const outcome = await session.run('What does this project do? Answer in one sentence.');
console.log(outcome.kind, outcome.text);
await session.close();

async function showTools(events: AsyncIterable<AgentEvent>) {
  for await (const event of events)
    if (event.type === 'tool_started') console.log(`> ${event.toolName} ${event.summary}`);
}
