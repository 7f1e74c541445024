/** A session that only directs: workers do everything, in the background. The model is scripted, so that it runs without a key. */
import { openSession, textOf } from 'cadre';
import type { ModelRequest } from 'cadre/protocol';
import { call, calls, say, scriptedModel } from 'cadre/testing';

const files = ['package.json', 'coordinator.js'];

/** Starts a worker for each file. Their reports arrive as messages, one by one. */
const lead = scriptedModel((request) => {
  if (request.messages.length === 1)
    return calls(
      files.map((file) => call('Agent', { description: `Read ${file}`, prompt: `Read ${file}.` })),
    );
  const said = readText(request);
  const isDone = files.every((file) => said.includes(`I have read ${file}`));
  return say(isDone ? 'Both files are read.' : 'One of them is still reading.');
});

const worker = scriptedModel((request) => {
  const file = /Read (\S+)\./.exec(readText(request))?.[1] ?? '';
  return request.messages.length === 1 ? call('Read', { file_path: file }) : say(`I have read ${file}`);
});

const opened = await openSession({
  coordinator: true,
  model: {
    ...lead,
    stream: (request, signal) => (request.asker?.agentId == null ? lead : worker).stream(request, signal),
  },
  persist: false,
});
if (!opened.ok) throw new Error(`${opened.problem.message} ${opened.problem.hint ?? ''}`);

const session = opened.value;
console.log(`tools of the coordinator: ${session.info().tools.slice(0, 3).join(', ')}`);
const watching = watch();
// The run ends as soon as the workers are started. Each report begins another one.
await session.run('Read both files.');
await session.finished(AbortSignal.timeout(60_000));
await session.close();
console.log(await watching);

/** Prints what workers report. Returns the coordinator's last words. */
async function watch(): Promise<string> {
  let last = '';
  for await (const event of session.events()) {
    if (event.type === 'task_changed' && event.end)
      console.log(`${event.task.description}: ${event.end.text}`);
    if (event.type === 'run_ended' && event.agentId === null) last = event.outcome.text;
  }
  return last;
}

function readText({ messages }: ModelRequest): string {
  return messages.map(({ content }) => textOf(content)).join('\n');
}
