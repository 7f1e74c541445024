import type { ShownCall } from './call.ts';
import type { Entry } from './entry.ts';

/** Calls that only look around. Several in a row are one line. */
const looking: Readonly<Record<string, Looked>> = {
  Read: { verb: 'read', one: 'file', many: 'files' },
  Grep: { verb: 'searched', one: 'pattern', many: 'patterns' },
  Glob: { verb: 'searched', one: 'pattern', many: 'patterns' },
  LS: { verb: 'listed', one: 'directory', many: 'directories' },
};

interface Looked {
  verb: string;
  one: string;
  many: string;
}

export type LookEntry = Extract<Entry, { kind: 'call' }>;

/** It went well, and nothing has to be said about it. */
export function isLook(entry: Entry): entry is LookEntry {
  if (entry.kind !== 'call') return false;
  const { toolName, state, hooks, verdict } = entry.call;
  return looking[toolName] !== undefined && state === 'done' && hooks.length === 0 && verdict === null;
}

/** `Read 6 files, searched 3 patterns`: the same file twice is one. */
export function summariseLooks(calls: readonly ShownCall[]): string {
  const byWords = Map.groupBy(calls, ({ toolName }) => {
    const { verb, many } = looking[toolName] ?? unknown;
    return `${verb} ${many}`;
  });
  const parts = [...byWords.values()].map((group) => {
    const { verb, one, many } = looking[group[0]?.toolName ?? ''] ?? unknown;
    const count = new Set(group.map(({ summary }) => summary)).size;
    return `${verb} ${count} ${count === 1 ? one : many}`;
  });
  const [first = '', ...others] = parts;
  return [first[0]?.toUpperCase() + first.slice(1), ...others].join(', ');
}

const unknown: Looked = { verb: 'looked at', one: 'thing', many: 'things' };

/** Entries, with those that only look around put together. */
export function groupLooks(entries: readonly Entry[]): (Entry | readonly LookEntry[])[] {
  const groups: (Entry | LookEntry[])[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (!isLook(entry)) groups.push(entry);
    else if (Array.isArray(last)) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}
