/** Fields of definitions as people and other products write them: `max_turns`, `max-turns` and `maxTurns` are one. */
const fieldNames: ReadonlyMap<string, string> = new Map(
  [
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
  ].flatMap(([name = '', ...others]) => [name.toLowerCase(), ...others].map((alias) => [alias, name])),
);

const ourFields: ReadonlySet<string> = new Set(fieldNames.values());

export interface Fields {
  /** By our names. */
  values: ReadonlyMap<string, unknown>;
  /** The spelling that was used, for messages and lines. */
  written: ReadonlyMap<string, string>;
  notes: string[];
}

/** Sorts fields under our names. One that is not ours does not count, which is said; it is never a fault. */
export function sortFields(data: Readonly<Record<string, unknown>>): Fields {
  const values = new Map<string, unknown>();
  const written = new Map<string, string>();
  const notes: string[] = [];
  const unknown: string[] = [];
  const keys = Object.keys(data);
  // Our own spelling first, so that it wins over a variant beside it.
  const ours = keys.filter((key) => ourFields.has(key));
  for (const key of ours.length === keys.length
    ? ours
    : [...ours, ...keys.filter((key) => !ourFields.has(key))]) {
    const name = ourFields.has(key) ? key : fieldNames.get(key.toLowerCase().replace(/[-_]/g, ''));
    if (name === undefined) unknown.push(key.slice(0, 60));
    else if (values.has(name)) notes.push(`${key} does not count beside ${written.get(name)}`);
    else {
      values.set(name, data[key]);
      written.set(name, key);
    }
  }
  if (unknown.length > 0)
    notes.push(
      `${unknown.slice(0, 10).join(', ')}: no field of ours, or not in this version; without effect here`,
    );
  return { values, written, notes };
}
