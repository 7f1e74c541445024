import { ok, usage } from '../../lib/result.ts';
import type { AgentServers } from '../agent-servers.ts';
import type { AgentDefinition } from '../definition.ts';
import type { AgentStep } from '../kernel.ts';
import { chooseTools, type ToolNeeds } from './tools.ts';

export interface ServerNeeds extends ToolNeeds {
  /** The MCP servers that agents of this type bring; undefined if they bring none. */
  openServers(definition: AgentDefinition): AgentServers | undefined;
}

/** The MCP servers that it brings, and their tools. */
export function serverStep(needs: ServerNeeds): AgentStep {
  return {
    name: 'servers',
    async complete(spec, agents, signal) {
      // Its tools are those of the place that runs it.
      if (spec.place.runsAt !== 'here') return ok(undefined);
      const servers = spec.definition && needs.openServers(spec.definition);
      if (servers) {
        await servers.ready(signal);
        spec.servers = servers;
        spec.tools = chooseTools(spec, agents, needs, servers);
        spec.notes.push(...servers.notes());
      }
      const { problem } = spec.tools;
      if (problem === undefined) return ok(undefined);
      await servers?.release();
      return usage(problem);
    },
    release: ({ servers }) => servers?.release(),
  };
}
