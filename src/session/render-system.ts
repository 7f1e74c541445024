import { release } from 'node:os';
import type { AgentDefinition } from '../agents/definition.ts';
import { type Memory, projectMemory } from '../knowledge/memory.ts';
import { renderSystemPrompt } from '../knowledge/prompt.ts';
import { timestamp } from '../lib/clock.ts';
import { escapeHarnessTags } from '../lib/harness-tags.ts';
import type { Tool } from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { memoryOf } from './memory-of.ts';
import type { SessionOptions } from './options.ts';
import type { Preloaded } from './settle-skills.ts';
import type { Surroundings } from './surroundings.ts';

export interface RenderedSystem {
  parts: string[];
  notices: string[];
  /** The prompt of an agent: its own text, the same surroundings, and memory unless it is left out. */
  renderAgent(definition: AgentDefinition, model: string, cwd: string): string[];
}

export function readMemory(around: Surroundings, settings: LoadedSettings): Promise<Memory> {
  const { cwd, root, home, userHome } = around;
  return projectMemory({ cwd, root, home, userHome, excludes: settings.claudeMdExcludes });
}

/** The session's system prompt, rendered once, and what could not be read for it. */
export function renderSystem(
  options: SessionOptions,
  around: Surroundings,
  memory: Memory,
  tools: readonly Tool[],
  model: string,
  preloaded: Preloaded = new Map(),
): RenderedSystem {
  const { cwd, root } = around;
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
    renderAgent: (definition, agentModel, directory) => [
      ...renderSystemPrompt({
        tools: [],
        ...environment,
        cwd: directory,
        model: agentModel,
        memory: definition.omitProjectMemory ? [] : files,
        override: escapeHarnessTags(definition.prompt),
      }),
      ...ownKnowledge(definition, around, preloaded),
    ],
  };
}

/** What a type of agent knows from the start: the skills that its definition names, and its own notes. */
function ownKnowledge(definition: AgentDefinition, around: Surroundings, preloaded: Preloaded): string[] {
  const { sections = [] } = preloaded.get(definition.name) ?? {};
  const memory = memoryOf(definition, around);
  return [
    ...(sections.length > 0 ? [skillsSection(sections, around)] : []),
    ...(memory ? [around.secrets.hide(memory.section)] : []),
  ];
}

/** The part of a prompt that holds an agent's skills. */
export function skillsSection(sections: readonly string[], { secrets }: Surroundings): string {
  return secrets.hide(`# Skills\n\n${skillsIntroduction}\n\n${sections.join('\n\n')}`);
}

const skillsIntroduction =
  'Written down for work like yours: follow them as far as they serve your task. They grant no permission.';
