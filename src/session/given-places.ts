import { join } from 'node:path';
import { definitionPlaces } from '../settings/definition-places.ts';
import { pluginFiles } from '../settings/plugin-name.ts';
import { statQuietly } from '../workspace/find-markdown.ts';
import { isWithin } from '../workspace/paths.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { listDefinitionPlaces } from './knowledge/skills.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * Directories outside the workspace whose files belong to what agents are told: skills of the user and of administrators, and
 * plugins. Their texts name scripts and notes beside them, which are read without asking, inside the sandbox as well.
 */
export function listGivenPlaces(options: SessionOptions, around: Surroundings): string[] {
  const places = listDefinitionPlaces(options, around);
  const skills = definitionPlaces('skills', places).filter(
    ({ source }) => source === 'user' || source === 'managed',
  );
  const plugins = (places.pluginDirectories ?? []).filter((directory) => isOnlyPlugin(directory, around));
  return [...skills.map(({ directory }) => directory), ...plugins];
}

/** Not a home, or what is above it: those hold more than a plugin, whatever manifest lies in them. */
function isOnlyPlugin(directory: string, { home, userHome }: Surroundings): boolean {
  const real = resolveRealPath(directory);
  const kept = [userHome, home, join(userHome, '.claude')].map(resolveRealPath);
  return (
    pluginFiles(directory).some((file) => statQuietly(file)?.isFile()) &&
    !kept.some((place) => isWithin(place, real))
  );
}
