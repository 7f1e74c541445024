import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { formatError, ok, type Result, usage } from '../../lib/result.ts';
import type { Model } from '../../protocol/index.ts';
import type { ModelParts } from '../model-parts.ts';
import { sdkModel } from '../sdk/model.ts';
import { functionTools, promptWriter } from '../sdk/prompt.ts';
import { keepProofs } from '../sdk/proof.ts';
import { type AnyLanguageModel, asLatest, isLanguageModel } from '../sdk/versions.ts';
import type { AddedProvider } from './directory.ts';

/** The arguments of a package's factory. Packages take those that they know. */
export interface FactorySettings {
  name: string;
  apiKey?: string;
  baseURL?: string;
  fetch?: typeof globalThis.fetch;
  /** Packages for OpenAI-compatible servers report usage only on request. */
  includeUsage: true;
}

/** A model of a provider that the user has added. The package is loaded for the first request, unless it is given. */
export function addedModel(parts: ModelParts, load: () => Promise<Result<LanguageModelV4>>): Model {
  const { provider } = parts.endpoint;
  const prompt = promptWriter({ provider, keepsBareThinking: true });
  return sdkModel(parts, {
    async load() {
      const loaded = await load();
      if (loaded.ok) return keepProofs(loaded.value, provider);
      // In the shape of a refusal: a request that cannot be made is not tried again.
      throw { statusCode: 400, data: { error: { message: loaded.problem.message } } };
    },
    options: (request) => ({
      prompt: prompt(request),
      tools: functionTools(request.tools),
      maxOutputTokens: request.maxOutputTokens,
    }),
  });
}

/** Loads the package by its absolute path, never by name: a name would be looked up in the user's repository. */
export async function loadAdded(
  directory: string,
  added: AddedProvider,
  id: string,
  settings: FactorySettings,
): Promise<Result<LanguageModelV4>> {
  const module = await importFile(join(directory, added.file), added.package);
  if (!module.ok) return module;
  return makeModel(module.value, added.factory, added.package, id, settings);
}

export async function importFile(path: string, name: string): Promise<Result<Record<string, unknown>>> {
  try {
    return ok((await import(pathToFileURL(path).href)) as Record<string, unknown>);
  } catch (error) {
    return usage(`The package ${name} cannot be loaded from ${path}: ${formatError(error)}`, again(name));
  }
}

export function makeModel(
  module: Record<string, unknown>,
  factory: string,
  name: string,
  id: string,
  settings: FactorySettings,
): Result<LanguageModelV4> {
  const create = module[factory];
  if (typeof create !== 'function')
    return usage(`The package ${name} does not export ${factory}.`, again(name));
  try {
    const model = createLanguageModel(create(settings), id);
    if (isLanguageModel(model)) return ok(asLatest(model as AnyLanguageModel));
    const version = (model as { specificationVersion?: unknown } | undefined)?.specificationVersion;
    return usage(
      `The package ${name} offers no usable language model: expected interface v2, v3 or v4, got ${version === undefined ? 'none' : String(version)}.`,
      'Choose another version of it, or another package.',
    );
  } catch (error) {
    return usage(`${factory} from the package ${name} failed: ${formatError(error)}`, again(name));
  }
}

function createLanguageModel(provider: unknown, id: string): unknown {
  const { languageModel } = (provider ?? {}) as { languageModel?: unknown };
  if (typeof languageModel === 'function') return languageModel.call(provider, id);
  return typeof provider === 'function' ? provider(id) : undefined;
}

function again(name: string): string {
  return `Install it again: cadre providers add ${name}`;
}
