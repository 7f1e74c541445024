/** A session that resumes a long transcript, as a separate program: prints milliseconds as JSON. See `resume.ts`. */

import { openSession } from '../src/session/open.ts';
import { scriptedModel } from '../src/testing/index.ts';

const [cwd = '', home = '', id = ''] = process.argv.slice(2);
const environment = { PATH: process.env.PATH, HOME: home, CADRE_HOME: home, SHELL: '/bin/sh' };
const options = { cwd, environment, model: scriptedModel([]), sandbox: false };
const opened = await openSession({ ...options, resume: { from: 'id', id } });
if (!opened.ok) throw new Error(opened.problem.message);
console.log(JSON.stringify({ messages: opened.value.messages().length, sinceStart: performance.now() }));
await opened.value.close();
