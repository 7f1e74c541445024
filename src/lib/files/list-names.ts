import { readdirSync } from 'node:fs';

/** The names in a directory; none where it is missing or cannot be listed. */
export function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
