import { chmodSync } from 'node:fs';
import { world } from './definitions.ts';

/** A folder and a file that their reader may not open. */
export default async function loadUnreadable(_args: unknown[], directory: string) {
  const here = world(directory);
  here.agent('repo/.claude/agents/fine.md', 'fine');
  here.agent('repo/.claude/agents/folder/a.md', 'a');
  chmodSync(here.agent('repo/.claude/agents/closed.md', 'closed'), 0o000);
  chmodSync(here.place('repo/.claude/agents/folder'), 0o000);
  const { definitions, broken } = await here.load();
  chmodSync(here.place('repo/.claude/agents/folder'), 0o700);
  return {
    found: definitions.filter(({ source }) => source === 'project').map(({ name }) => name),
    broken: broken.map(({ file, reason }) => [file.split('/').at(-1), reason.slice(0, 15)]),
  };
}
