import { exploreRole, generalPurposeRole, planRole, workerRole } from '../../permissions/roles.ts';
import type { Role } from '../../places/types.ts';
import { type AgentDefinition, workerType } from '../definition.ts';
import explorePrompt from '../prompts/explore.md' with { type: 'text' };
import generalPurposePrompt from '../prompts/general-purpose.md' with { type: 'text' };
import planPrompt from '../prompts/plan.md' with { type: 'text' };
import workerPrompt from '../prompts/worker.md' with { type: 'text' };
import { backgroundTools } from '../tool-filter.ts';

const plain = {
  source: 'built-in',
  tools: '*',
  disallowedTools: [],
  background: false,
  mcpServers: [],
  skills: [],
  omitProjectMemory: false,
  notes: [],
} as const;

export const generalPurpose: AgentDefinition = {
  ...plain,
  name: 'general-purpose',
  description: 'Any multi-step task: research, changes, or both. Has every tool that agents can use.',
  prompt: generalPurposePrompt.trim(),
  role: generalPurposeRole,
};

export const explore: AgentDefinition = {
  ...plain,
  name: 'Explore',
  description:
    'Quick read-only search: where something is, how it works, what uses it. Say how thorough: quick, medium, very.',
  prompt: explorePrompt.trim(),
  disallowedTools: exploreRole.denied,
  model: 'haiku',
  omitProjectMemory: true,
  role: exploreRole,
};

export const plan: AgentDefinition = {
  ...plain,
  name: 'Plan',
  description: 'Designs how to do something, read-only: current state, steps, risks, critical files.',
  prompt: planPrompt.trim(),
  disallowedTools: planRole.denied,
  omitProjectMemory: true,
  role: planRole,
};

/** The coordinator's worker. In simple mode it has only three tools. */
export function defineWorker(simple: boolean): AgentDefinition {
  return {
    ...plain,
    name: workerType,
    description: 'Does one task of a larger piece of work for a coordinator.',
    prompt: workerPrompt.trim(),
    tools: simple ? ['Bash', 'Read', 'Edit'] : [...backgroundTools, 'mcp__*'],
    disallowedTools: workerRole.denied,
    role: workerRole,
  };
}

export function builtInAgents(options: { simple?: boolean } = {}): AgentDefinition[] {
  return [generalPurpose, explore, plan, defineWorker(options.simple === true)];
}

/** Common other names for them. A definition of that exact name takes precedence. */
export const typeAliases: ReadonlyMap<string, string> = new Map([
  ['general', 'general-purpose'],
  ['explore', 'Explore'],
  ['plan', 'Plan'],
]);

/**
 * A definition that a repository or a plugin puts in place of a built-in one, limited to what that one may do: a caller
 * of `Explore` relies on it changing nothing, whatever text the name leads to.
 */
export function heldTo(own: AgentDefinition, builtIn: AgentDefinition): AgentDefinition {
  const isOutside = own.source === 'project' || own.source === 'plugin';
  if (!isOutside || !isNarrow(builtIn.role)) return own;
  const disallowedTools = [...new Set([...own.disallowedTools, ...builtIn.disallowedTools])];
  return {
    ...own,
    disallowedTools,
    role: narrowRole(own.role, builtIn.role),
    notes: [...own.notes, `It keeps the limits of the built-in agent ${builtIn.name} that it replaces.`],
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
