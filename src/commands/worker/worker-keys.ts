import { ok, type Result, usage } from '../../lib/result.ts';
import { openJobKey, trustKey } from '../../remote/keys.ts';
import { checkWritableHome, lookAround } from '../../session/surroundings.ts';
import { isPerson } from '../trust/repository-trust.ts';

/** `cadre worker key`: the public key of this user, for workers to trust. */
export function printKey(): Result<string> {
  const around = lookAround({});
  const home = checkWritableHome(around);
  const key = home.ok ? openJobKey(around.home) : home;
  return key.ok ? ok(`${key.value.name}\n`) : key;
}

/** `cadre worker trust`: workers of this user accept the key from their next job on. */
export function acceptKey(key: string, note: readonly string[]): Result<string> {
  const around = lookAround({});
  // A key that is accepted begins work on this machine.
  if (!isPerson(around.environment))
    return usage(
      'An agent cannot decide whose jobs are accepted.',
      'Run cadre worker trust yourself, in your own terminal.',
    );
  const home = checkWritableHome(around);
  const trusted = home.ok ? trustKey(around.home, key, note.join(' ')) : home;
  return trusted.ok ? ok(`Workers of this user accept jobs that ${key} signed.\n`) : trusted;
}
