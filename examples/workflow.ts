/** A workflow: a script that directs agents, run by a program. The model is scripted, so that it runs without a key. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSession } from 'cadre';
import { call, lastUserText, say, scriptedModel } from 'cadre/testing';

/** Usually a file in `.cadre/workflows`. It has no files, network or processes; its agents have tools. */
const script = `
export const meta = {
  name: 'lengths',
  description: 'Measures words and names the longest.',
  args: { type: 'array', items: { type: 'string' } },
};
phase('measure');
const schema = { type: 'object', properties: { length: { type: 'number' } }, required: ['length'] };
const lengths = await parallel(args.map((word) => () => agent('Measure ' + word, { label: word, schema })));
phase('name');
const longest = args[lengths.findIndex(({ length }) => length === Math.max(...lengths.map((one) => one.length)))];
return await agent('Say that the longest is ' + longest);
`;

const model = scriptedModel((request) => {
  const text = lastUserText(request);
  const word = /Measure (\w+)/.exec(text)?.[1];
  if (word !== undefined) return call('SyntheticOutput', { length: word.length });
  return say(`The longest is ${/longest is (\w+)/.exec(text)?.[1]}.`);
});

const file = join(mkdtempSync(join(tmpdir(), 'workflow-')), 'lengths.js');
writeFileSync(file, script);

const opened = await openSession({ model, persist: false });
if (!opened.ok) throw new Error(`${opened.problem.message} ${opened.problem.hint ?? ''}`);
const session = opened.value;

const task = await session.spawn({ kind: 'local_workflow', file, args: ['one', 'three', 'five'] });
if (!task.ok) throw new Error(task.problem.message);
const end = await session.workflows().ended(task.value.id);
console.log(`${end?.status}: ${end?.value} (${end?.census.outcomes.ok} calls)`);
await session.close();
