import { describeUnknownKeys } from '../lib/form/containers.ts';
import { form, type ShapeOutput } from '../lib/form/form.ts';
import description from './agent.md' with { type: 'text' };
import forkDescription from './agent-fork.md' with { type: 'text' };
import { type AgentDefinition, efforts, forkType, isHostLabel } from './definition.ts';
import { listTypes } from './list-types.ts';

const agentName = /^[A-Za-z][\w.-]{0,63}$/;

export function isAgentName(text: string): boolean {
  return agentName.test(text);
}

const shape = {
  description: form.string().trim().min(1).max(200).describe('The task in 3-5 words'),
  prompt: form
    .string()
    .refine((text) => text.trim() !== '', 'Expected a task for the agent, got an empty prompt.'),
  subagent_type: form.string().trim().min(1).max(200).optional(),
  model: form.string().trim().min(1).max(200).optional().describe('Only if the user asks for one'),
  effort: form.enum(efforts).optional(),
  run_in_background: form.boolean().optional().describe('Return at once; a notification brings the result'),
  name: form
    .string()
    .regex(agentName, 'Expected letters, digits, "-", "_" and ".", starting with a letter.')
    .optional()
    .describe('For SendMessage; in a team it is then a teammate'),
  isolation: form.enum(['worktree', 'remote']).optional(),
  host: form
    .string()
    .refine(isHostLabel, 'Expected the label of workers: letters, digits, "-", "_" and ".".')
    .optional()
    .describe('With isolation: remote: the label of its workers'),
  worktree: form
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Works in a scratch copy of this worktree, to test unlanded work; never lands'),
};

/** Accepted but not shown to the model: other ways to say the same, and parameters of other products. */
const unshown: ReadonlySet<string> = new Set(['type', 'mode', 'team_name']);

/**
 * The input of the Agent tool. The model is shown a closed object. An unknown key is refused by name, so that the model
 * does not rely on a limit that is never applied.
 */
export const agentSchema = buildSchema(shape);

/** What can be had here. The input that is accepted is the same; only what is offered differs. */
export interface AgentOffer {
  /** Agents may inherit the conversation, and all run in the background. */
  forking?: boolean | undefined;
  /** Agents can run elsewhere. */
  remote?: boolean | undefined;
}

/** The schema that a model is shown. */
export function offerSchema({ forking, remote }: AgentOffer): typeof agentSchema {
  const { host: _, ...near } = shape;
  return buildSchema({
    // What is accepted is the same.
    ...(remote ? shape : (near as typeof shape)),
    ...(forking
      ? {
          prompt: shape.prompt.describe('The whole task; only a fork knows this conversation'),
          run_in_background: shape.run_in_background.describe('No effect: all agents run in the background'),
        }
      : {}),
    isolation: remote ? shape.isolation : shape.isolation.shownAs(nearOnly),
  });
}

const nearOnly = { type: 'string', enum: ['worktree'] };

function buildSchema(fields: typeof shape) {
  const shown = form.object(fields).toJSONSchema({ brief: true });
  return form
    .looseObject(fields)
    .check((given, report) => {
      for (const key of Object.keys(given))
        if (!Object.hasOwn(shape, key) && !unshown.has(key)) report(describeUnknownKeys([key]));
      const { type, subagent_type, team_name } = given;
      if (team_name !== undefined && (typeof team_name !== 'string' || team_name.trim() === ''))
        report('Expected the name of a team.', ['team_name']);
      if (type !== undefined && (typeof type !== 'string' || type.trim() === ''))
        report('Expected the name of an agent type.', ['type']);
      else if (type !== undefined && subagent_type !== undefined && type !== subagent_type)
        report('Use either subagent_type or type, not both.', ['type']);
    })
    .shownAs({ ...shown, additionalProperties: false })
    .transform(({ type, mode, team_name, ...input }): AgentInput => {
      const named = typeof type === 'string' ? { subagent_type: type.trim() } : {};
      const team = typeof team_name === 'string' ? { team_name: team_name.trim() } : {};
      const notes = mode === undefined ? [] : ["mode was ignored: a call cannot set an agent's permissions."];
      return { ...named, ...team, ...(input as PlainInput), notes };
    });
}

type PlainInput = ShapeOutput<typeof shape>;

export interface AgentInput extends PlainInput {
  /** The team that it is to be a member of. */
  team_name?: string;
  /** Notes for the parent's model about its call. */
  notes: string[];
}

export interface DescriptionOptions {
  /** Whether the pseudo-type is on. */
  forking?: boolean;
  /** Whether the coordinator's worker is shown; no other agent needs it. */
  worker?: boolean;
}

/** The tool's description: its text and the list of types. The order does not depend on where they were found. */
export function renderAgentDescription(
  definitions: readonly AgentDefinition[],
  options: DescriptionOptions = {},
): string {
  const shown = definitions
    .filter(({ name, source }) => options.worker || source !== 'built-in' || name !== 'worker')
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
  const fork = options.forking ? [forkLine] : [];
  const text = options.forking ? forkDescription : description;
  return `${text.trim()}\n\nTypes:\n${[...fork, ...listTypes(shown)].join('\n')}`;
}

const forkLine = `- ${forkType}: continues from this conversation on a separate task. The default.`;

function rank({ source }: AgentDefinition): number {
  return source === 'built-in' ? 0 : 1;
}
