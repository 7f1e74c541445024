import { openSession } from 'cadre';

const opened = await openSession({ allowedTools: ['Read', 'Grep', 'Glob'] });
if (!opened.ok) throw new Error(`${opened.problem.message} ${opened.problem.hint ?? ''}`);

const session = opened.value;
const outcome = await session.run('What does this project do? Answer in one sentence.');
console.log(outcome.kind, outcome.text);
await session.close();
