import type { AgentDefinition } from './definition.ts';
import { formatText } from './list-types.ts';

const maxFound = 10;
const maxLineLength = 400;
const maxQueryWords = 200;
/** A word in a name says more about an agent than one in its description. */
const nameWeight = 3;

/**
 * The types whose names and descriptions have the most words of a task, rare words first: best first. Only words are
 * compared, so the caller, a model, chooses among those found.
 */
export function searchTypes(query: string, definitions: readonly AgentDefinition[]): AgentDefinition[] {
  const wanted = [...new Set(splitWords(query))].slice(0, maxQueryWords);
  const read = definitions.map((definition) => ({
    definition,
    name: new Set(splitWords(definition.name)),
    text: new Set(splitWords(definition.description)),
  }));
  const weights = wanted.map((word) => {
    const holders = read.filter(({ name, text }) => name.has(word) || text.has(word)).length;
    return { word, weight: holders === 0 ? 0 : Math.log(1 + definitions.length / holders) };
  });
  return read
    .map(({ definition, name, text }) => ({
      definition,
      score: weights.reduce(
        (sum, { word, weight }) =>
          sum + (name.has(word) ? nameWeight * weight : 0) + (text.has(word) ? weight : 0),
        0,
      ),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.definition.name < b.definition.name ? -1 : 1))
    .slice(0, maxFound)
    .map(({ definition }) => definition);
}

/** The answer to a call that looks for a type. */
export function renderFoundTypes(query: string, definitions: readonly AgentDefinition[]): string {
  const found = searchTypes(query, definitions);
  if (found.length === 0)
    return `None of the ${definitions.length} agent types matches this task. Use general-purpose, or try other words. No agent was started.`;
  const lines = found.map(
    ({ name, description }) => `- ${formatText(`${name}: ${description}`, maxLineLength)}`,
  );
  return `Agent types that may fit, best first. No agent was started.\n${lines.join('\n')}`;
}

/** In lower case, without endings and without words that every text has. */
function splitWords(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}+#]{2,}/gu) ?? [])
    .filter((word) => !common.has(word))
    .map((word) => (word.length > 4 ? word.replace(/(?:ing|ers?|ed|es|s)$/, '') : word));
}

const common: ReadonlySet<string> = new Set(
  'agent an and any are as at be by can do for from has have how if in into is it its me my need not of on or our please so specialist that the their them then this to up use used user using was we what when where which who will with work you your'.split(
    ' ',
  ),
);
