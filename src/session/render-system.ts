import { release } from 'node:os';
import { projectMemory } from '../knowledge/memory.ts';
import { renderSystemPrompt } from '../knowledge/prompt.ts';
import { timestamp } from '../lib/clock.ts';
import type { Tool } from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { SessionOptions } from './options.ts';
import type { Surroundings } from './surroundings.ts';

/** The session's system prompt, rendered once, and what could not be read for it. */
export async function renderSystem(
  options: SessionOptions,
  around: Surroundings,
  settings: LoadedSettings,
  tools: readonly Tool[],
  model: string,
): Promise<{ parts: string[]; notices: string[] }> {
  const { cwd, root, home, userHome } = around;
  const memory = await projectMemory({ cwd, root, home, userHome, excludes: settings.claudeMdExcludes });
  const parts = renderSystemPrompt({
    tools: tools.map((tool) => tool.name),
    cwd,
    root,
    isGit: around.isRepository,
    platform: process.platform,
    osVersion: release(),
    shell: around.shell,
    date: timestamp(around.clock),
    model,
    memory: memory.files.map((file) => ({ ...file, text: around.secrets.hide(file.text) })),
    ...(options.systemPrompt === undefined ? {} : { override: options.systemPrompt }),
    ...(options.appendSystemPrompt === undefined ? {} : { append: options.appendSystemPrompt }),
  });
  return { parts, notices: memory.problems.map((problem) => problem.message) };
}
