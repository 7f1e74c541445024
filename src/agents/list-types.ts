import { escapeHarnessTags } from '../lib/text/harness-tags.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { AgentDefinition } from './definition.ts';

const maxLineLength = 300;
const maxListLength = 8_000;
const maxNameLength = 100;
/** A shorter description does not say what an agent is for. */
const minTextLength = 40;
/** The characters of a line besides its name and its text. */
const besides = '- : \n'.length;

interface Entry {
  name: string;
  text: string;
}

/**
 * The lines by which a model chooses: all with their descriptions, cut to the same length so that they fit. If that
 * leaves too little of them, short descriptions for as many as fit beside the names of all others.
 */
export function listTypes(definitions: readonly AgentDefinition[]): string[] {
  const entries = definitions.map(({ name, description }) => ({
    name: formatText(name, maxNameLength),
    text: formatText(description, maxLineLength - Math.min(name.length, maxNameLength) - 2),
  }));
  const limit = findTextLimit(entries);
  if (limit >= minTextLength) return entries.map((entry) => renderLine(entry, limit));
  // Built-in types come first and are always described.
  const builtIn = definitions.filter(({ source }) => source === 'built-in').length;
  const described = Math.max(builtIn, countDescribed(entries));
  const others = entries.slice(described).map(({ name }) => name);
  return [
    ...entries.slice(0, described).map((entry) => renderLine(entry, minTextLength)),
    renderNames(others, maxListLength - measureLines(entries.slice(0, described), minTextLength)),
    howToFind,
  ];
}

/** What a call names in place of a type to look for one. */
export const searchMark = '?';

const howToFind = `To find a type by what it does, call with subagent_type "${searchMark}" and the task as prompt: it answers with the types that fit and starts nothing.`;

/** The largest length that every text may have. */
function findTextLimit(entries: readonly Entry[]): number {
  let limit = 0;
  for (let step = 256; step >= 1; step /= 2)
    if (limit + step <= maxLineLength && measureLines(entries, limit + step) <= maxListLength) limit += step;
  return limit;
}

/** How many can have a short description if all others are at least named. */
function countDescribed(entries: readonly Entry[]): number {
  const names = entries.reduce((sum, { name }) => sum + name.length + 2, 0);
  let room = maxListLength - names - 'Also: '.length;
  const first = entries.findIndex(({ text }) => {
    room -= besides - 2 + Math.min(text.length, minTextLength);
    return room < 0;
  });
  return first < 0 ? entries.length : first;
}

function renderNames(names: readonly string[], room: number): string {
  let left = room - 'Also:  and 1000000 more.'.length;
  const fitting = names.findIndex((name) => {
    left -= name.length + 2;
    return left < 0;
  });
  if (fitting < 0) return `Also: ${names.join(', ')}.`;
  return `Also: ${names.slice(0, fitting).join(', ')} and ${names.length - fitting} more.`;
}

function measureLines(entries: readonly Entry[], limit: number): number {
  return entries.reduce(
    (sum, { name, text }) => sum + name.length + Math.min(text.length, limit) + besides,
    0,
  );
}

function renderLine({ name, text }: Entry, limit: number): string {
  return `- ${name}: ${visibleLine(text, limit)}`;
}

/** The author of a definition is not the harness, so its text is escaped. */
export function formatText(text: string, most: number): string {
  return escapeHarnessTags(visibleLine(text, most));
}
