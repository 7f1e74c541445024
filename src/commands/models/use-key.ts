import type { LineTerminal } from '../../headless/io.ts';
import { ok, type Result } from '../../lib/result.ts';
import { type Endpoint, findEndpoint } from '../../models/endpoints.ts';
import { findFacts } from '../../models/facts.ts';
import type { KeyStore } from '../../models/keys.ts';
import { askModels, prepareQuestion } from '../../models/list-models.ts';
import { builtInProviders } from '../../models/providers/providers.ts';
import type { ModelConfig } from '../../models/resolve.ts';
import { talkingModels } from '../../models/survey.ts';
import { chooseRow } from '../ask/choose-row.ts';
import { readAnswer } from '../ask/read-answer.ts';
import type { HostedName } from './setup-choices.ts';

/** The result: a usable model (undefined: the provider's default), or nothing. */
export type Chosen = { model: string | undefined } | 'nothing';

const patienceMs = 5_000;
const maxTries = 3;

/**
 * Asks for a key, tests it at once, and stores it only if the provider accepts it or cannot be reached. For providers
 * without a default it asks for the model.
 */
export async function useKey(
  provider: HostedName,
  terminal: LineTerminal,
  config: ModelConfig,
): Promise<Result<Chosen>> {
  const { title } = builtInProviders[provider];
  for (let tries = 0; tries < maxTries; tries++) {
    const found = findEndpoint(provider, config.env, config.keys);
    if (!found.ok) return found;
    const given = found.value && tries === 0 ? undefined : await readKey(terminal, provider);
    if (given === 'nothing') return ok('nothing');
    const endpoint = endpointWith(provider, given, found.value, config);
    if (!endpoint.ok) return endpoint;
    terminal.show(`Asking ${title} …\n`);
    const { status, ids } = await askModels(endpoint.value, prepareQuestion(config, patienceMs));
    if (status === 401 || status === 403) {
      terminal.show(
        `${title} rejected this key. Nothing was stored; paste it again, or press enter to go back.\n`,
      );
      continue;
    }
    if (!ids && !(await storesUntried(terminal, title, status))) return ok('nothing');
    const saved = given === undefined ? ok(undefined) : saveKey(config.keys, provider, given, terminal);
    if (!saved.ok) return saved;
    return provider === 'anthropic'
      ? ok({ model: undefined })
      : chooseModel(provider, terminal, talkingModels(endpoint.value, ids ?? []));
  }
  return ok('nothing');
}

async function readKey(terminal: LineTerminal, provider: HostedName): Promise<string | 'nothing'> {
  const { title, keyPage } = builtInProviders[provider];
  if (keyPage !== undefined) terminal.show(`Make a key here: ${keyPage}\n`);
  const typed = await readAnswer(terminal, `API key for ${title} (paste it; enter alone goes back): `, true);
  const key = typed.kind === 'line' ? typed.text.trim() : '';
  return key === '' ? 'nothing' : key;
}

/** As it would be resolved once the key is stored: an address from the environment applies. */
function endpointWith(
  provider: HostedName,
  key: string | undefined,
  found: Endpoint | undefined,
  { env }: ModelConfig,
): Result<Endpoint> {
  if (key === undefined && found) return ok(found);
  const variable = builtInProviders[provider].keyVariables[0] ?? '';
  const without = { ...env, [variable]: key, ANTHROPIC_AUTH_TOKEN: undefined };
  const endpoint = findEndpoint(provider, without, noKeys);
  if (!endpoint.ok) return endpoint;
  return ok(endpoint.value ?? { provider, baseUrl: builtInProviders[provider].url, key: key ?? '' });
}

const noKeys: KeyStore = {
  readKey: () => ok(undefined),
  readKeys: () => ok({}),
  saveKey: () => ok(undefined),
  removeKey: () => ok(false),
};

async function storesUntried(terminal: LineTerminal, title: string, status: number): Promise<boolean> {
  const why = status === 0 ? `${title} did not answer` : `${title} answered with ${status}`;
  const typed = await readAnswer(
    terminal,
    `${why}, so the key could not be checked. Store it anyway? [y/N] `,
  );
  return typed.kind === 'line' && /^\s*y(es)?\s*$/i.test(typed.text);
}

function saveKey(keys: KeyStore, provider: HostedName, key: string, terminal: LineTerminal): Result<void> {
  const saved = keys.saveKey(provider, key);
  if (saved.ok) terminal.show(`Stored the key for ${provider}, readable only by you.\n`);
  return saved;
}

const maxShown = 15;

/** Models with known capabilities first: they are the ones people use for this. */
async function chooseModel(
  provider: HostedName,
  terminal: LineTerminal,
  ids: readonly string[],
): Promise<Result<Chosen>> {
  const known = ids.filter((id) => findFacts(provider, id).known);
  const shown = [...known, ...ids.filter((id) => !known.includes(id))].slice(0, maxShown);
  for (;;) {
    terminal.show('Which model?\n');
    const chosen = await chooseRow(terminal, { rows: shown, typedAs: 'id' });
    if (chosen.kind !== 'row' && chosen.kind !== 'text') return ok('nothing');
    const id = (chosen.kind === 'row' ? shown[chosen.index] : chosen.text) ?? '';
    if (/^[\x21-\x7e]{2,200}$/.test(id)) return ok({ model: `${provider}/${id}` });
    terminal.show('That is not a model id.\n');
  }
}
