import type { Role } from '../permissions/types.ts';
import type { AgentDefinition } from './definition.ts';

/**
 * A definition that a repository or a plugin puts in the place of a built-in one, held to what that one may do: who asks
 * for `Explore` relies on its changing nothing, whatever text stands behind the name.
 */
export function heldTo(own: AgentDefinition, builtIn: AgentDefinition): AgentDefinition {
  const isOutside = own.source === 'project' || own.source === 'plugin';
  if (!isOutside || !isNarrow(builtIn.role)) return own;
  const disallowedTools = [...new Set([...own.disallowedTools, ...builtIn.disallowedTools])];
  return {
    ...own,
    disallowedTools,
    role: narrowRole(own.role, builtIn.role),
    notes: [...own.notes, `It keeps the limits of the built-in ${builtIn.name}, whose name it takes.`],
  };
}

function isNarrow({ shell, writes, secrets }: Role): boolean {
  return shell !== 'full' || !writes || secrets === 'closed';
}

function narrowRole(own: Role, other: Role): Role {
  const shells = [own.shell, other.shell];
  return {
    ...own,
    denied: [...new Set([...own.denied, ...other.denied])],
    shell: shells.includes('none') ? 'none' : shells.includes('read-only') ? 'read-only' : 'full',
    writes: own.writes && other.writes,
    ...(own.secrets === 'closed' || other.secrets === 'closed' ? { secrets: 'closed' as const } : {}),
  };
}
