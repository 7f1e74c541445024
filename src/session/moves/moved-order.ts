import { openRefusals } from '../../permissions/reader-refusals.ts';
import type { JobOrder } from '../../remote/job.ts';
import type { RefuseFile } from '../../workspace/worktrees/left-out.ts';
import type { Kernel } from '../kernel.ts';
import { collectOrderRules } from '../remote/job-rules.ts';
import type { MoveNeeds } from './needs.ts';

type Described = Pick<
  JobOrder,
  | 'description'
  | 'agent'
  | 'model'
  | 'rules'
  | 'permissionMode'
  | 'maxTurns'
  | 'maxTokens'
  | 'maxBudgetUsd'
  | 'moved'
>;

const maxDefinitions = 100;

/** A session as an order: what it is apart from its conversation and files. */
export function describeMovedOrder(
  kernel: Kernel,
  { definitions, lead, models, permissions }: MoveNeeds,
): Described {
  const { options, settings, place } = kernel;
  const { maxBudgetUsd = settings.maxBudgetUsd, maxTokens = settings.maxTokens } = models.caps;
  const { maxTurns, systemPrompt, appendSystemPrompt } = options;
  return {
    description: options.title ?? 'A session that was moved',
    agent: { type: 'general-purpose' },
    model: lead.model,
    rules: collectOrderRules(permissions.listRules(null), place.root),
    permissionMode: lead.permissionMode,
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
    moved: {
      definitions: describeDefinitions(definitions),
      ...(definitions.main ? { main: definitions.main.name } : {}),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      ...(appendSystemPrompt === undefined ? {} : { appendSystemPrompt }),
    },
  };
}

/** A worker knows the built-in types. Those with hooks or servers of their own stay here. */
function describeDefinitions({
  definitions,
}: MoveNeeds['definitions']): Record<string, Record<string, unknown>> {
  const own = definitions.filter(({ source, hooks, mcpServers }) => {
    const hasPrograms =
      Object.keys(hooks ?? {}).length > 0 || mcpServers.some(({ config }) => config !== undefined);
    return source !== 'built-in' && !hasPrograms;
  });
  return Object.fromEntries(
    own
      .slice(0, maxDefinitions)
      .map(({ name, description, prompt, tools, disallowedTools, effort, color, skills }) => [
        name,
        {
          ...{ description, prompt, tools, disallowedTools, skills },
          ...(effort === undefined ? {} : { effort }),
          ...(color === undefined ? {} : { color }),
        },
      ]),
  );
}

/** Why a changed file does not go: agents may not read it. */
export function openReader({ place, environment, settings }: Kernel, { permissions }: MoveNeeds): RefuseFile {
  const refusals = openRefusals({ ...place, environment }, settings, permissions.listRules(null));
  return async (path) => (await refusals.reading(path))?.reason;
}
