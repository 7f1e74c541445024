/**
 * An agent on another machine: here the engine and the worker are in this process, so that it runs without a server and without a key.
 * For a fleet give `engine` an address, such as redis://localhost:6379, and start `cadre worker` on the other machines.
 */
import { openSession } from 'cadre';
import {
  call,
  expecting,
  memoryEngine,
  memoryWorker,
  say,
  scriptedModel,
  temporaryWorkspace,
} from 'cadre/testing';

const workspace = await temporaryWorkspace({ 'notes.txt': 'one\n' }, { git: true });
const engine = memoryEngine();

// The loop of the agent, its model and its tools are the worker's.
const far = scriptedModel([
  expecting({ userText: 'Add a line.' }, call('Read', { file_path: 'notes.txt' })),
  call('Edit', { file_path: 'notes.txt', old_string: 'one', new_string: 'one\ntwo' }),
  say('Added.'),
]);
const worker = memoryWorker({ engine, model: far });

const opened = await openSession({
  cwd: workspace.path,
  engine,
  model: scriptedModel([say('It is done.')]),
  permissionMode: 'acceptEdits',
});
if (!opened.ok) throw new Error(`${opened.problem.message} ${opened.problem.hint ?? ''}`);
const session = opened.value;

const task = await session.spawn({ kind: 'remote_agent', prompt: 'Add a line.' });
if (!task.ok) throw new Error(task.problem.message);
const { status, text, worktree } = await task.value.result();
// The files are in a worktree with a branch, as of any agent that works apart: cadre worktree land brings them in.
console.log(`${status}: ${text} (${worktree?.files.map(({ path }) => path).join(', ')})`);

// The end of the task is told to the session's own agent, which answers.
await session.settled();
await session.close();
await worker.end();
await workspace.dispose();
far.assertConsumed();
