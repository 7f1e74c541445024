import type { Effort } from '../protocol/effort.ts';
import type { AgentSettings } from '../settings/loaded.ts';
import type { AgentDefinition } from './definition.ts';
import { listTeammateTools, withoutCustomForbidden, withoutMetaTools } from './tool-filter.ts';

/**
 * A definition as the main agent of a process of its own is given it, if that agent is a teammate: the layers that a teammate's tools pass
 * below a lead are written into its lists, since a main agent passes only those.
 */
export function adaptToTeammate(
  definition: AgentDefinition,
  settings: Pick<AgentSettings, 'maxDepth' | 'giveBack' | 'maxTurns'>,
  effort?: Effort,
): AgentDefinition {
  const { maxDepth, giveBack } = settings;
  const options = {
    ...{ definition, background: false, teammate: true, plans: true, depth: 1 },
    ...{ maxDepth, giveBack },
  };
  const { added, all } = listTeammateTools();
  const names = all.map((name) => ({ name }));
  const refused = [withoutMetaTools, withoutCustomForbidden].flatMap((layer) =>
    layer(names, options).removed.map(({ tool }) => tool),
  );
  const { tools, disallowedTools, role, maxTurns = settings.maxTurns } = definition;
  return {
    ...definition,
    tools: tools === '*' ? tools : [...tools, ...added],
    disallowedTools: [...disallowedTools, ...refused],
    role: {
      ...role,
      tools: role.tools === '*' ? role.tools : [...role.tools, ...added],
      denied: [...role.denied, ...refused],
    },
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(effort === undefined ? {} : { effort }),
  };
}
