/** Goes back in a stored session; the test kills it at some moment. Says when it begins. */

import { openStoredRewind } from '../../src/commands/rewind/stored.ts';
import { performRewind } from '../../src/rewind/rewind.ts';
import { lookAround } from '../../src/session/surroundings.ts';
import { findSession } from '../../src/store/sessions.ts';

const [id = '', to = '', cwd = ''] = process.argv.slice(2);
const around = lookAround({ cwd });
const found = await findSession(around.layout, id);
if (!found.ok) throw new Error(found.problem.message);
const opened = openStoredRewind(found.value, around, []);
if (!opened.ok) throw new Error(opened.problem.message);
process.stdout.write('begun\n');
await performRewind(opened.value.place, { to, what: 'both' });
opened.value.close();
