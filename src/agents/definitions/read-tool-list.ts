import { canonicalToolName, isMcpToolName } from '../../protocol/tool-names.ts';
import { findMisspeltTool, isOurTool } from '../../settings/known-tools.ts';
import { splitToolList } from '../../settings/rules.ts';
import { backgroundTools, boardTools, metaTools, notForCustom } from '../tool-filter.ts';

/** A definition's tools, in our names. */
export interface ToolLists {
  tools: '*' | string[];
  disallowedTools: string[];
  spawnable?: string[];
  notes: string[];
  /** The entries, if there are any and none of them grants a tool. */
  useless?: string[];
  /** An entry that should deny something and names no tool, and the tool that it resembles, if any. */
  misspelt?: { entry: string; meant?: string };
}

/**
 * Reads `tools` and `disallowedTools`: a string with commas, a list, or a map from names to true and false. A map grants
 * what is true in it; one in which all is false takes that away from all tools. An entry that is not understood grants
 * nothing; in the list of disallowed tools, an entry about a part of a tool removes the whole tool. For a value of any
 * other form, returns the name of its field.
 */
export function readToolLists(tools: unknown, disallowed: unknown): ToolLists | 'tools' | 'disallowedTools' {
  const granted = tools === undefined || onlyTakesAway(tools) ? ['*'] : readEntries(tools, true);
  const denied = disallowed === undefined ? [] : readEntries(disallowed, true);
  if (!granted) return 'tools';
  if (!denied) return 'disallowedTools';
  const lists: ToolLists = { tools: [], disallowedTools: [], notes: [] };
  if (granted.length === 0)
    lists.notes.push('tools is empty, so the agent has no tools; leave the field out to give it all of them');
  for (const entry of [...denied, ...(readEntries(tools, false) ?? [])]) deny(entry, lists);
  for (const entry of granted) grant(entry, lists);
  noteUnknown(lists);
  return granted.length > 0 && lists.tools.length === 0 ? { ...lists, useless: granted } : lists;
}

/** Such an agent cannot be started unless a program brings one of these tools. */
function noteUnknown({ tools, notes }: ToolLists): void {
  if (tools === '*' || tools.length === 0) return;
  const isKnown = (name: string) =>
    isMcpToolName(name) || ourNames.has(name.toLowerCase()) || isOurTool(name);
  if (!tools.some(isKnown))
    notes.push(
      `no tool here is named ${tools.slice(0, 10).join(', ')}, so the agent cannot be started; fix its tools`,
    );
}

/** In a map those that are `wanted`; in other forms all, or none. */
function readEntries(value: unknown, wanted: boolean): string[] | undefined {
  if (value === null || value === undefined) return [];
  if (typeof value === 'string') return wanted ? split(value) : [];
  if (Array.isArray(value)) {
    if (!value.every((entry) => typeof entry === 'string')) return undefined;
    return wanted ? value.map((entry) => entry.trim()).filter((entry) => entry !== '') : [];
  }
  if (typeof value !== 'object') return undefined;
  const pairs = Object.entries(value);
  if (!pairs.every(([, state]) => typeof state === 'boolean')) return undefined;
  const named = pairs.filter(([, state]) => state === wanted).map(([name]) => name);
  return wanted ? named : named.filter((name) => name !== '*');
}

/** `{Bash: false}`: all other tools. With `*` it takes away all of them, and an empty map grants nothing. */
function onlyTakesAway(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const states = Object.values(value);
  return states.length > 0 && states.every((state) => state === false) && !Object.hasOwn(value, '*');
}

/** Most lists have no parentheses, and there may be hundreds of files. */
function split(text: string): string[] {
  return text.includes('(') ? splitToolList(text) : text.split(/[\s,]+/).filter((entry) => entry !== '');
}

function grant(entry: string, lists: ToolLists): void {
  const { name, specifier } = parts(entry);
  if (name === '*' && specifier === undefined) lists.tools = '*';
  else if (name === 'Agent' && specifier !== undefined) {
    const types = specifier.split(',').map((type) => type.trim());
    lists.spawnable = [...(lists.spawnable ?? []), ...types.filter((type) => type !== '')];
    add(lists, 'Agent');
  } else if (specifier !== undefined)
    lists.notes.push(
      `tools: ${entry} grants nothing: only whole tools can be listed here; put rules in settings`,
    );
  else if (name.includes('*') && !/^mcp__[^*]+__\*$/.test(name))
    lists.notes.push(`tools: ${entry} grants nothing: * is only valid alone or after mcp__<server>__`);
  else add(lists, name);
}

function deny(entry: string, lists: ToolLists): void {
  const { name, specifier } = parts(entry);
  if (specifier !== undefined)
    lists.notes.push(`disallowedTools: ${entry} removes the whole tool ${name}; put rules in settings`);
  lists.disallowedTools.push(name);
  // `Bash(rm:*` or `Bash|Read` is no name at all: the one that it begins with was meant, and perhaps more.
  const isName = /^[\w.:@/*-]+$/.test(name);
  const begun = isName ? '' : ourName(/^[\w-]*/.exec(name)?.[0] ?? '');
  const meant = ourNames.has(name.toLowerCase()) ? undefined : begun || findMisspeltTool(name);
  if (!isName || meant !== undefined) lists.misspelt ??= { entry, ...(meant ? { meant } : {}) };
}

function add(lists: ToolLists, name: string): void {
  if (lists.tools !== '*' && !lists.tools.includes(name)) lists.tools.push(name);
}

function parts(entry: string): { name: string; specifier?: string } {
  if (!entry.includes('(')) return { name: ourName(entry) };
  const [, name = entry, specifier] = /^([^(]*)(?:\((.*)\))?$/s.exec(entry) ?? [];
  return { name: ourName(name.trim()), ...(specifier === undefined ? {} : { specifier }) };
}

const ourNames = new Map(
  [...metaTools, ...notForCustom, ...backgroundTools, ...boardTools].map((name) => [
    name.toLowerCase(),
    name,
  ]),
);

function ourName(name: string): string {
  const known = canonicalToolName(name);
  return known !== name || isMcpToolName(name) ? known : (ourNames.get(name.toLowerCase()) ?? name);
}
