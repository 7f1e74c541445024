import { release } from 'node:os';
import type { AgentDefinition } from '../agents/definition.ts';
import { projectMemory } from '../knowledge/memory.ts';
import { renderSystemPrompt } from '../knowledge/prompt.ts';
import { timestamp } from '../lib/clock.ts';
import type { Tool } from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';

export interface RenderedSystem {
  parts: string[];
  notices: string[];
  /** The prompt of an agent: its own text, the same surroundings, and memory unless it is left out (AG11). */
  renderAgent(definition: AgentDefinition, model: string, cwd: string): string[];
}

/** The session's system prompt, rendered once, and what could not be read for it. */
export async function renderSystem(
  options: SessionOptions,
  around: Surroundings,
  settings: LoadedSettings,
  tools: readonly Tool[],
  model: string,
): Promise<RenderedSystem> {
  const { cwd, root, home, userHome } = around;
  const memory = await projectMemory({ cwd, root, home, userHome, excludes: settings.claudeMdExcludes });
  const files = memory.files.map((file) => ({ ...file, text: around.secrets.hide(file.text) }));
  const environment = {
    root,
    isGit: around.isRepository,
    platform: process.platform,
    osVersion: release(),
    shell: around.shell,
    date: timestamp(around.clock),
  };
  const parts = renderSystemPrompt({
    tools: tools.map((tool) => tool.name),
    ...environment,
    cwd,
    model,
    memory: files,
    ...(options.systemPrompt === undefined ? {} : { override: options.systemPrompt }),
    ...(options.appendSystemPrompt === undefined ? {} : { append: options.appendSystemPrompt }),
  });
  return {
    parts,
    notices: memory.problems.map((problem) => problem.message),
    renderAgent: ({ prompt, omitProjectMemory }, agentModel, directory) =>
      renderSystemPrompt({
        tools: [],
        ...environment,
        cwd: directory,
        model: agentModel,
        memory: omitProjectMemory ? [] : files,
        override: prompt,
      }),
  };
}
