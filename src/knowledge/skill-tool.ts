import { form } from '../lib/form/form.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { Rule } from '../protocol/permission.ts';
import { errorResult, type Tool, type ToolProgress, type ToolResult } from '../protocol/tool.ts';
import description from './skill.md' with { type: 'text' };
import type { Skill } from './skill.ts';
import { listable, renderListing } from './skill-listing.ts';

const schema = form.strictObject({
  skill: form
    .string()
    .min(1)
    .max(200)
    .transform((name) => name.trim().replace(/^\//, '')),
  args: form.string().max(100_000).optional().describe('Arguments, as one string'),
});

/** Uses a skill in the name of an agent. */
export type UseSkill = (use: {
  skill: Skill;
  args: string;
  agentId: string | null;
  toolUseId: string;
  signal: AbortSignal;
}) => Promise<ToolResult>;

/**
 * The tool by which a model loads skills. Undefined if there are none, so that it costs no bytes. A skill's text costs
 * tokens only when it is used; before that it is one line in a list.
 */
export function skillTool(
  skills: readonly Skill[],
  rules: readonly Rule[],
  use: UseSkill,
): Tool<typeof schema> | undefined {
  const known = listable(skills, rules);
  if (known.length === 0) return undefined;
  const byName = new Map(known.map((skill) => [skill.name, skill]));
  const listing = renderListing(known);
  return {
    name: 'Skill',
    description: listing === '' ? description.trim() : `${description.trim()}\n\n${listing}`,
    schema,
    access: () => [{ kind: 'none' }],
    concurrent: () => false,
    summary: ({ skill, args }) => visibleLine(args ? `${skill} ${args}` : skill, 200),
    // biome-ignore lint/correctness/useYield: what its commands do is in their own events
    async *run(
      { skill: name, args = '' },
      { agentId, toolUseId, signal },
    ): AsyncGenerator<ToolProgress, ToolResult> {
      const skill = byName.get(name);
      if (skill) return use({ skill, args, agentId, toolUseId, signal });
      return errorResult(unknownName(name, skills, [...byName.keys()]));
    },
  };
}

const maxNames = 100;

function unknownName(name: string, all: readonly Skill[], names: readonly string[]): string {
  const shown = visibleLine(name, 100);
  const reason = all.some((skill) => skill.name === name)
    ? `Only the user can load ${shown}.`
    : `There is no skill ${shown}.`;
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  return `${reason} Available: ${names.slice(0, maxNames).join(', ')}${more}.`;
}
