import { join } from 'node:path';
import { isRecord } from '../lib/fields/field-values.ts';
import { parseJson } from '../lib/fields/parse-json.ts';
import { writeAtomic } from '../lib/files/atomic.ts';
import { ensurePrivateDirectory } from '../lib/files/files.ts';
import { readBoundedText } from '../lib/files/read-bounded.ts';
import { aliasModels } from './facts.ts';
import type { ModelSurvey } from './survey.ts';

/** A name that `--model` takes, and what to say about it in a list. */
export interface ListedModel {
  name: string;
  about: string;
}

const maxListed = 2_000;
const maxBytes = 512 * 1024;

/** Keeps the names of the last survey, for what must not wait for a provider: completions. Without them it is slower to type, and no more. */
export function keepListed(home: string, { providers, aliases }: ModelSurvey): void {
  const listed: ListedModel[] = [
    ...aliases.flatMap(({ alias, model }) => (model === undefined ? [] : [{ name: alias, about: model }])),
    ...providers.flatMap(({ models }) =>
      models.filter(({ problem }) => problem === undefined).map(({ name }) => ({ name, about: '' })),
    ),
  ];
  if (listed.length === 0 || !ensurePrivateDirectory(join(home, 'cache')).ok) return;
  const text = `${JSON.stringify({ version: 1, models: listed.slice(0, maxListed) })}\n`;
  writeAtomic(locateListed(home), text);
}

/** Those names; before the first survey, the aliases. */
export function readListed(home: string): ListedModel[] {
  // Missing or damaged: the next survey writes it again.
  const value = parseJson(readBoundedText(locateListed(home), maxBytes, { refusesLinks: true }) ?? '');
  if (isRecord(value) && value.version === 1 && Array.isArray(value.models))
    return value.models.filter(isListed);
  return Object.entries(aliasModels).map(([name, id]) => ({ name, about: `anthropic/${id}` }));
}

function isListed(value: unknown): value is ListedModel {
  const { name, about } = (value ?? {}) as Partial<ListedModel>;
  return typeof name === 'string' && typeof about === 'string';
}

function locateListed(home: string): string {
  return join(home, 'cache', 'models.json');
}
