import { type Fields, fieldTable, sortFields as sortBy } from '../lib/fields.ts';

export type { Fields } from '../lib/fields.ts';

/** Fields of definitions as people and other products write them. */
const agentFields = fieldTable([
  ['name'],
  ['description'],
  ['prompt'],
  ['tools', 'allowedtools'],
  ['disallowedTools', 'deniedtools', 'excludedtools'],
  ['model'],
  ['permissionMode'],
  ['maxTurns', 'maxsteps'],
  ['background', 'runinbackground'],
  ['isolation'],
  ['mcpServers'],
  ['skills'],
  ['hooks'],
  ['memory'],
  ['color', 'colour'],
  ['omitProjectMemory', 'omitclaudemd'],
  ['effort'],
  ['initialPrompt'],
  ['autoCompactWindow'],
]);

export function sortFields(data: Readonly<Record<string, unknown>>): Fields {
  return sortBy(data, agentFields);
}
