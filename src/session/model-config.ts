import { openKeyStore } from '../models/keys.ts';
import { openProviderDirectory } from '../models/provider-directory.ts';
import type { ModelConfig } from '../models/resolve.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { Surroundings } from './surroundings.ts';

/** What a model's name is read against here: environment, keys, settings, and the providers that were added. */
export function modelConfigOf(
  { environment, home, outside }: Surroundings,
  { env, model, modelAliases }: Pick<LoadedSettings, 'env' | 'model' | 'modelAliases'>,
): ModelConfig {
  return {
    env: { ...environment, ...env },
    keys: openKeyStore(home),
    clock: outside.clock,
    aliases: modelAliases,
    added: openProviderDirectory(home),
    ...(model === undefined ? {} : { settingsModel: model }),
  };
}
