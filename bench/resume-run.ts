/** One look at a long transcript, as a program of its own: prints milliseconds as JSON. See `resume.ts`. */

import { openSession } from '../src/session/open.ts';
import { readTail } from '../src/store/read-tail.ts';
import { scriptedModel } from '../src/testing/index.ts';

const [kind = '', path = '', cwd = '', home = '', id = ''] = process.argv.slice(2);
const start = performance.now();
if (kind === 'tail') {
  const tail = readTail(path, { messages: 50 });
  if (!tail.ok) throw new Error(tail.problem.message);
  report({ ms: performance.now() - start, messages: tail.value.messages.length });
} else {
  const environment = { PATH: process.env.PATH, HOME: home, CADRE_HOME: home, SHELL: '/bin/sh' };
  const options = { cwd, environment, model: scriptedModel([]), sandbox: false };
  const opened = await openSession({ ...options, resume: { from: 'id', id } });
  if (!opened.ok) throw new Error(opened.problem.message);
  report({ ms: performance.now() - start, messages: opened.value.messages().length });
  await opened.value.close();
}

function report(figures: { ms: number; messages: number }): void {
  console.log(JSON.stringify({ ...figures, sinceStart: performance.now() }));
}
