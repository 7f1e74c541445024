import { ok, type Result } from '../../lib/result.ts';
import { remind } from '../../lib/text/harness-tags.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { isEndTold } from '../../protocol/index.ts';
import type { StructuredOutput } from '../../tools/structured-output/synthetic-output.ts';
import type { AgentDefinitions } from '../agents/definitions.ts';
import { type Coordination, type CoordinatorChoice, openCoordination } from '../coordinator.ts';
import type { Kernel } from '../kernel.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import { lostLetter } from '../lost-letter.ts';
import { type Features, need, type SessionFeature } from '../opening.ts';
import type { SessionOptions } from '../options.ts';
import { isClaimed } from '../owner.ts';
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
      const isShown = ({ name }: { name: string }) =>
        parts.planning.isOffered || !planToolNames.includes(name);
      const chosen = need(pool.forLead(main)).filter(isShown);
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
          // A teammate has the same prompt wherever it runs.
          ...(main && options.teamPart
            ? knowledge.renderAgent(main, model, startsIn)
            : knowledge.renderLead({ tools, model, cwd: startsIn, override, append })),
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

const planToolNames: readonly string[] = ['EnterPlanMode', 'ExitPlanMode'];

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
function postUntold(kernel: Kernel, { settings }: AgentDefinitions): void {
  const { identity, restored, inbox } = kernel;
  if (!identity.goesOn) {
    postLeftBehind(kernel);
    return;
  }
  const { lost = [] } = restored ?? {};
  if (lost.length > 0) inbox.postQuietly({ ...lostLetter(lost), isQuiet: true });
  for (const record of restored?.untold ?? [])
    if (isEndTold(record.task)) inbox.post(lateLetter(record, settings));
}

/** The conversation of a copy promises reports that will never come: what runs, or ran, belongs to the session it was copied from. */
function postLeftBehind({ restored, inbox, place, events }: Kernel): void {
  const left = (restored?.untold ?? []).filter(({ task }) => task.kind !== 'dream');
  if (!restored || left.length === 0) return;
  const named = left
    .slice(0, maxNamed)
    .map(({ task }) => `${task.id} (${visibleLine(task.description, 60)})`);
  const more = left.length > maxNamed ? ` and ${left.length - maxNamed} more` : '';
  const { sessionId } = restored;
  const list = `${named.join(', ')}${more}`;
  const isDead = !isClaimed(place.home, sessionId);
  if (isDead)
    events.warn(
      `No process has session ${sessionId} open: its background work is cut off and runs nowhere: ${list}.`,
    );
  const what = isDead
    ? `No process has that session open, so work that was started there in the background is cut off and runs nowhere: ${list}.`
    : `Work that was started there in the background does not run here, and you will not be notified of its end: ${list}.`;
  const text = `This conversation is a copy of session ${sessionId}. ${what} SendMessage to an agent continues a copy of it.`;
  inbox.postQuietly({
    delivery: 'steer',
    content: [{ type: 'text', text: remind(text) }],
    origin: { kind: 'harness' },
    isQuiet: true,
  });
}

const maxNamed = 20;
