import { isSecretName } from '../lib/secrets/secret-values.ts';

/** The values of an environment that are secrets by their names. Others, such as stored keys, come beside them. */
export function listSecrets(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) => (value && isSecretName(name) ? [value] : []));
}
