import { z } from 'zod';
import { escapeHarnessTags } from '../lib/text/harness-tags.ts';
import { visibleLine } from '../lib/text/text.ts';
import description from './agent.md' with { type: 'text' };
import { type AgentDefinition, efforts, forkType } from './definition.ts';

const agentName = /^[A-Za-z][\w.-]{0,63}$/;

export function isAgentName(text: string): boolean {
  return agentName.test(text);
}

const shape = {
  description: z.string().trim().min(1).max(200).describe('The task in 3-5 words'),
  prompt: z
    .string()
    .refine((text) => text.trim() !== '', 'Say what the agent is to do.')
    .describe('The whole task: the agent sees nothing of this conversation'),
  subagent_type: z.string().trim().min(1).max(200).optional().describe('Which of the types above'),
  model: z.string().trim().min(1).max(200).optional().describe('Only where the user asks for another model'),
  effort: z.enum(efforts).optional(),
  run_in_background: z.boolean().optional().describe('Go on at once; a notification brings the result'),
  name: z
    .string()
    .regex(agentName, 'Expected letters, digits, "-", "_" and ".", beginning with a letter.')
    .optional()
    .describe('An address for messages to it'),
  isolation: z.enum(['worktree', 'remote']).optional().describe('worktree: its own copy of the repository'),
};

/** Accepted and not shown to the model: another name, and parameters of other products. */
const unshown: ReadonlySet<string> = new Set(['type', 'mode', 'team_name']);

/**
 * The input of the Agent tool. The model is shown a closed object. A key that is none of ours is refused by name, so
 * that nobody believes in a limit that was never read.
 */
export const agentSchema = z
  .looseObject(shape)
  .superRefine((given, context) => {
    for (const key of Object.keys(given))
      if (!Object.hasOwn(shape, key) && !unshown.has(key))
        context.addIssue({ code: 'unrecognized_keys', keys: [key], input: given });
    const { type, subagent_type } = given;
    if (type !== undefined && (typeof type !== 'string' || type.trim() === ''))
      context.addIssue({ code: 'custom', path: ['type'], message: 'Expected the name of an agent type.' });
    else if (type !== undefined && subagent_type !== undefined && type !== subagent_type)
      context.addIssue({ code: 'custom', path: ['type'], message: 'Give subagent_type only.' });
  })
  .meta({ additionalProperties: false })
  .transform(({ type, mode, team_name, ...input }): AgentInput => {
    const named = typeof type === 'string' ? { subagent_type: type.trim() } : {};
    const notes = [
      ...(mode === undefined ? [] : ['mode was ignored: what an agent may do is not set by the call.']),
      ...(team_name === undefined ? [] : ['team_name was ignored: there is no team here.']),
    ];
    return { ...named, ...input, notes };
  });

export interface AgentInput extends z.output<typeof plain> {
  /** What the parent's model should be told about its call. */
  notes: string[];
}

const plain = z.object(shape);

export interface DescriptionOptions {
  /** Whether the pseudo-type is on. */
  forking?: boolean;
  /** Whether the coordinator's worker is shown: nobody else needs it. */
  worker?: boolean;
}

const maxLineLength = 300;
const maxListLength = 8_000;

/** The tool's description: its text, and the types there are. The order does not depend on where they were found. */
export function renderAgentDescription(
  definitions: readonly AgentDefinition[],
  options: DescriptionOptions = {},
): string {
  const shown = definitions
    .filter(({ name, source }) => options.worker || source !== 'built-in' || name !== 'worker')
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
  const fork = options.forking ? [forkLine] : [];
  return `${description.trim()}\n\nTypes:\n${[...fork, ...listTypes(shown)].join('\n')}`;
}

const forkLine = `- ${forkType}: goes on from this conversation as it stands, on a task of its own. The default.`;

function rank({ source }: AgentDefinition): number {
  return source === 'built-in' ? 0 : 1;
}

/** Where there are too many, the later ones are only named, and the last ones only counted. */
function listTypes(definitions: readonly AgentDefinition[]): string[] {
  const lines: string[] = [];
  let room = maxListLength;
  for (const [index, { name, description }] of definitions.entries()) {
    const full = `- ${shown(`${name}: ${description}`, maxLineLength)}`;
    const line = full.length <= room / 2 || definitions.length < 20 ? full : `- ${shown(name, 100)}`;
    if (line.length > room) return [...lines, `- … and ${definitions.length - index} more`];
    lines.push(line);
    room -= line.length + 1;
  }
  return lines;
}

/** Whoever wrote the definition is not the harness. */
function shown(text: string, most: number): string {
  return escapeHarnessTags(visibleLine(text, most));
}
