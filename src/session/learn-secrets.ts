import { openKeyStore } from '../models/keys.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { isForUs, pickEnvironment } from '../tools/pick-environment.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * What the session must not show from its first text on: stored provider keys, and the variables that commands do not
 * get. What a login shell adds to these is learnt when it is asked, before the first command runs.
 */
export function learnSecrets({ environment, home, secrets }: Surroundings, settings: LoadedSettings): void {
  const stored = openKeyStore(home).readKeys();
  // Keys that cannot be read are reported by whoever needs one.
  const keys = Object.entries(stored.ok ? stored.value : {});
  secrets.add(keys.map(([provider, value]) => ({ name: `${provider} key`, value })));
  secrets.add(pickEnvironment({ ...environment, ...settings.env }, allowedVariables(settings)).secrets);
}

/** What settings set they set for commands; what they allow comes from the environment. */
export function allowedVariables({ env, environment }: LoadedSettings): string[] {
  return [...Object.keys(env).filter((name) => !isForUs(name)), ...environment.allow];
}
