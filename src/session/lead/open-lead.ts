import { ok, type Result } from '../../lib/result.ts';
import type { StructuredOutput } from '../../tools/structured-output/synthetic-output.ts';
import type { AgentDefinitions } from '../agents/definitions.ts';
import { type Coordination, type CoordinatorChoice, openCoordination } from '../coordinator.ts';
import type { Kernel } from '../kernel.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { type Features, need, type SessionFeature } from '../opening.ts';
import type { SessionOptions } from '../options.ts';
import type { SessionJudges } from '../questions/judge.ts';
import { lateLetter } from '../tasks.ts';
import { Lead, type LeadParts } from './lead.ts';
import type { ToolPool } from './tool-pool.ts';

/** Contributions of earlier features to the lead. */
export type LeadNeeds = Pick<
  LeadParts,
  'hands' | 'hooks' | 'mcp' | 'models' | 'permissions' | 'planning' | 'prompts' | 'scopes' | 'state'
> & {
  definitions: AgentDefinitions;
  coordinator: CoordinatorChoice;
  judges: SessionJudges;
  knowledge: Knowledge;
  pool: ToolPool;
  features: Features;
  /** The directory that it starts in. */
  startsIn: string;
};

/** The session's own agent, put together from the contributions of the other features. */
export function leadFeature(needs: LeadNeeds): SessionFeature<{ lead: Lead; coordinates: boolean }> {
  return {
    name: 'lead',
    async open(kernel) {
      const { definitions, coordinator, judges, knowledge, pool, features, startsIn, ...parts } = needs;
      const { options, main, settings } = definitions;
      const allTools = need(pool.forAgents());
      const chosen = need(pool.forLead(main));
      const coordination = coordinator.on ? await coordinate(kernel, needs, allTools) : undefined;
      const output = need(await openOutput(kernel.options.outputSchema));
      const tools = [
        ...(coordination?.tools.map((tool) => pool.onTape(tool)) ?? chosen),
        ...(output ? [output.tool] : []),
      ];
      const { systemPrompt: override, appendSystemPrompt: append } =
        coordination?.prompted(options) ?? options;
      const { id: model } = parts.models.current;
      const lead = new Lead(kernel, {
        ...{ ...parts, options, tools, allTools, coordination, output, judge: judges.judge },
        definition: coordination?.definition ?? main,
        system: [
          ...knowledge.renderLead({ tools, model, cwd: startsIn, override, append }),
          ...features.promptParts(),
        ],
        maxAgents: settings.maxConcurrent,
      });
      return {
        ...{ lead, coordinates: coordination !== undefined },
        ready() {
          postUntold(kernel, definitions);
          // Known from the start, so that a program can start agents before the first prompt.
          lead.enter(new AbortController().signal);
        },
      };
    },
  };
}

async function coordinate(
  kernel: Kernel,
  { definitions, coordinator, pool, permissions }: LeadNeeds,
  all: Coordination['tools'],
): Promise<Coordination> {
  const { startRules: rules } = permissions;
  const { scratchpad } = coordinator;
  return openCoordination(kernel, { agents: definitions, builtIn: pool.builtIn(), all, rules, scratchpad });
}

/** The tool by which the agent returns an answer of a given shape; loaded only if one is wanted. */
async function openOutput(
  schema: SessionOptions['outputSchema'],
): Promise<Result<StructuredOutput | undefined>> {
  if (schema === undefined) return ok(undefined);
  const { outputTool } = await import('../../tools/structured-output/synthetic-output.ts');
  return outputTool(schema);
}

/** Ends of background work that were not delivered before the session was closed. */
function postUntold({ identity, restored, inbox }: Kernel, { settings }: AgentDefinitions): void {
  if (!identity.goesOn) return;
  for (const record of restored?.untold ?? [])
    if (record.task.kind !== 'dream') inbox.post(lateLetter(record, settings));
}
