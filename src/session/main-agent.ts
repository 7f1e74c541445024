import { basename } from 'node:path';
import type { AgentDefinition } from '../agents/definition.ts';
import type { LoadedAgents } from '../agents/load-agents.ts';
import { findType } from '../agents/resolve-type.ts';
import { resolveTools } from '../agents/tool-filter.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text.ts';
import type { PermissionMode, Tool } from '../protocol/index.ts';
import type { SessionOptions } from './options.ts';

/** The definition that the main agent runs as (`--agent`); undefined where it is itself. */
export function mainAgent(
  name: string | undefined,
  { definitions, broken }: LoadedAgents,
): Result<AgentDefinition | undefined> {
  if (name === undefined) return ok(undefined);
  const found = findType(definitions, name);
  if (found) return ok(found);
  const wrong = broken.find(({ file }) => basename(file, '.md') === name);
  if (wrong) {
    const place = wrong.line === undefined ? wrong.file : `${wrong.file}:${wrong.line}`;
    return usage(`--agent ${visibleLine(name, 100)}: ${place}: ${wrong.reason}.`, 'Correct the file.');
  }
  const names = definitions.map((definition) => definition.name).sort();
  return usage(
    `--agent: there is no agent "${visibleLine(name, 100)}".`,
    `There are ${names.join(', ')}. cadre agents lists the files that are broken, and why.`,
  );
}

/** What a definition says of the session, for whatever the user has not said. */
export function optionsOf(definition: AgentDefinition | undefined, goesOn: boolean): SessionOptions {
  if (!definition) return {};
  const { name, prompt, maxTurns } = definition;
  // A session that goes on has its model and mode from before, as the user may have changed them.
  const model = goesOn ? undefined : definition.model;
  const mode = goesOn ? undefined : modeOf(definition);
  return {
    agent: name,
    systemPrompt: prompt,
    ...(model === undefined ? {} : { model }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(mode === undefined ? {} : { permissionMode: mode }),
  };
}

/** The main agent is at depth 0: only its definition's own lists count. */
export function mainTools(definition: AgentDefinition, tools: readonly Tool[]): Tool[] {
  return resolveTools(tools, { definition, background: false, mode: 'default', depth: 0, maxDepth: 1 }).tools;
}

/** A repository's or a plugin's file may narrow the mode, never widen it; and nobody skips questions by a file. */
function modeOf({ permissionMode, source }: AgentDefinition): PermissionMode | undefined {
  if (permissionMode === 'bypassPermissions') return undefined;
  const fromOutside = source === 'project' || source === 'plugin';
  const narrows = permissionMode === 'plan' || permissionMode === 'dontAsk' || permissionMode === 'default';
  return fromOutside && !narrows ? undefined : permissionMode;
}
