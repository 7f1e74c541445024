import { expect, test } from 'bun:test';
import { coreTools, installedRipgrep } from '../src/tools/index.ts';
import { racers } from './proof/race-tools.ts';

/** Calls of tools with a path; a tool that is not here has no file of the model's choosing, or the test below fails. */
const calls: Readonly<Record<string, object>> = {
  Read: { file_path: 'f.txt' },
  Write: { file_path: 'f.txt', content: 'x' },
  Edit: { file_path: 'f.txt', old_string: 'a', new_string: 'b' },
  NotebookEdit: { notebook_path: 'n.ipynb', cell_number: 1, new_source: 'x', edit_mode: 'replace' },
  Grep: { pattern: 'x' },
  Glob: { pattern: '*' },
};
/** They name no file: commands are judged as such, the rest reaches tasks, the network or the user. */
const without = ['Bash', 'TodoWrite', 'TaskOutput', 'TaskStop', 'WebFetch', 'Monitor', 'AskUserQuestion'];

test('every tool that reads or writes files is in the proof of races', () => {
  const tools = coreTools(installedRipgrep(), '/nonexistent');
  const opening = tools.filter((tool) => {
    const input = calls[tool.name];
    if (!input) return false;
    const parsed = tool.schema.parse(input);
    return tool.access(parsed, '/ws').some(({ kind }) => kind === 'read' || kind === 'write');
  });
  expect(tools.map(({ name }) => name).filter((name) => !calls[name] && !without.includes(name))).toEqual([]);
  expect(opening.map(({ name }) => name).sort()).toEqual(Object.keys(calls).sort());
  const raced = opening.filter(({ name }) => racers.some((one) => one.name.split(' ')[0] === name));
  expect(raced).toEqual(opening);
});
