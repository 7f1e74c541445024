import { coreTools } from '../tools/index.ts';
import { installedRipgrep } from '../tools/ripgrep.ts';
import { isAttended } from './attended.ts';
import type { Models } from './choose-model.ts';
import { observeShell } from './observe-shell.ts';
import type { SessionFeature } from './opening.ts';
import type { Knowledge } from './render-system.ts';
import type { SessionMcp } from './session-mcp.ts';
import { openPathNotes, type SessionSkills } from './settle-skills.ts';

/** The tools that touch the machine. They bring along what is known of the files they touch, and what they change is kept. */
export function machineTools(
  { models }: { models: Models },
  { mcp }: { mcp: SessionMcp },
  { memory }: Knowledge,
  { skills }: SessionSkills,
): SessionFeature {
  return {
    name: 'machine tools',
    async open({ options, place, environment }) {
      const noteTool = await openPathNotes(memory, skills, place.root);
      const tools = coreTools(options.ripgrep ?? installedRipgrep(), place.home, {
        environment,
        attended: isAttended(options),
        servers: mcp.watching,
        ...(models.search ? { search: models.search } : {}),
      });
      return { tools: tools.map((tool) => observeShell(noteTool(tool), place.userHome)) };
    },
  };
}
