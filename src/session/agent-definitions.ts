import { resolve } from 'node:path';
import type { AgentDefinition } from '../agents/definition.ts';
import { flagProblem, loadAgents } from '../agents/load-agents.ts';
import type { AgentSettings } from '../agents/settings.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import { isOn } from '../lib/switch.ts';
import { agentSettings } from './agent-settings.ts';
import { backgroundWaitNotices } from './background-wait.ts';
import type { Kernel } from './kernel.ts';
import { mainAgent, optionsOf } from './main-agent.ts';
import type { SessionFeature } from './opening.ts';
import type { SessionOptions } from './options.ts';

/** Which types of agents there are, how they run, and what the session's own agent is. */
export interface AgentDefinitions {
  definitions: readonly AgentDefinition[];
  settings: AgentSettings;
  /** What the main agent runs as, where it is not itself. */
  main: AgentDefinition | undefined;
  /** The session's options, with what the main agent's definition says where the user says nothing. */
  options: SessionOptions;
}

export function agentDefinitions({ on }: { on: boolean }): SessionFeature<AgentDefinitions> {
  return { name: 'agent definitions', open: (kernel) => loadDefinitions(kernel, on) };
}

async function loadDefinitions(
  kernel: Kernel,
  coordinates: boolean,
): Promise<Result<AgentDefinitions & { notices: string[] }>> {
  const { options, place, settings, environment, restored, trust } = kernel;
  const { cwd, root, home, userHome } = place;
  const loaded = await loadAgents({
    ...{ cwd, root, home, userHome, trust },
    later: (act) => void place.atEnd.push(act),
    ...(options.settingSources ? { sources: options.settingSources } : {}),
    additionalDirectories: (options.additionalDirectories ?? []).map((path) => resolve(cwd, path)),
    pluginDirectories: (options.pluginDirectories ?? []).map((path) => resolve(cwd, path)),
    ...(options.agentsFlag === undefined ? {} : { flagAgents: options.agentsFlag }),
    ...(options.agents === undefined ? {} : { agents: options.agents }),
    simple: isOn(environment.CADRE_SIMPLE) || isOn(environment.CLAUDE_CODE_SIMPLE),
  });
  const problem = flagProblem(loaded);
  if (problem) return fail(problem);
  const main = mainAgent(options.agent ?? restored?.state?.agent, loaded);
  if (!main.ok) return main;
  const chosen = agentSettings(options, settings, environment);
  return ok({
    definitions: loaded.definitions,
    // A coordinator's agents begin with its words, not with its conversation.
    settings: coordinates ? { ...chosen, fork: false } : chosen,
    main: main.value,
    options: { ...optionsOf(main.value, restored?.state !== undefined), ...options },
    notices: [...brokenNotice(loaded.broken.length), ...backgroundWaitNotices(environment)],
  });
}

function brokenNotice(count: number): string[] {
  if (count === 0) return [];
  const files = count === 1 ? 'One agent file' : `${count} agent files`;
  return [`${files} could not be read and ${count === 1 ? 'is' : 'are'} left out; cadre agents says why.`];
}
