import { ok, type Result } from '../lib/result.ts';
import { openKeyStore } from '../models/keys.ts';
import { resolveOrSuggest } from '../models/list-models.ts';
import { openProviderDirectory } from '../models/provider-directory.ts';
import { type ModelConfig, resolveModel } from '../models/resolve.ts';
import { withRetry } from '../models/retry.ts';
import type { Model } from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { SessionOptions } from './options.ts';
import type { Restored } from './restore.ts';
import type { Surroundings } from './surroundings.ts';

/** The session's model, and how to get another one. */
export interface Models {
  current: Model;
  /** Null is the one that the session started with. */
  resolve(name: string | null): Result<Model>;
}

export async function chooseModel(
  options: SessionOptions,
  around: Surroundings,
  settings: LoadedSettings,
  restored: Restored | undefined,
): Promise<Result<Models>> {
  const config: ModelConfig = {
    env: { ...around.environment, ...settings.env },
    keys: openKeyStore(around.home),
    clock: around.clock,
    aliases: settings.modelAliases,
    added: openProviderDirectory(around.home),
    asked: new Map(),
    ...(settings.model === undefined ? {} : { settingsModel: settings.model }),
  };
  const named = options.model ?? restored?.state?.model;
  const first = typeof named === 'object' ? ok(named) : await resolveOrSuggest(named, config);
  if (!first.ok) return first;
  const patient = (model: Model) => withRetry(model, { clock: around.clock, random: Math.random });
  const current = typeof named === 'object' ? named : patient(first.value);
  const resolve = (name: string): Result<Model> => {
    const found = resolveModel(name, config);
    return found.ok ? ok(patient(found.value)) : found;
  };
  return ok({ current, resolve: (name) => (name === null ? ok(current) : resolve(name)) });
}
