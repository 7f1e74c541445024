import { isSecretName } from '../lib/secrets/secret-values.ts';

/** The values of an environment whose names mark them as secrets. Others, such as stored keys, are added to them. */
export function listSecrets(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) => (value && isSecretName(name) ? [value] : []));
}
