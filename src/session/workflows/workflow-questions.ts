import type { AgentKernel } from '../../agents/kernel.ts';
import { questionAbout } from '../../agents/question.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { ToolContext } from '../../protocol/index.ts';
import type { RunQuestion } from '../../workflows/run-port.ts';
import type { RunForecast } from '../../workflows/run-types.ts';
import type { Models } from '../models.ts';

interface Asking {
  agents: AgentKernel;
  models: Models;
}

/** Asks once before a run starts many agents. Undefined: it may. Otherwise why not. */
export async function confirmForecast(
  { agents, models }: Asking,
  taskId: string,
  name: string,
  { agents: count, tokensPerAgent }: RunForecast,
): Promise<string | undefined> {
  const forecast = `workflow ${name} would start ${count} agents so far; ${estimate(models, count, tokensPerAgent)}`;
  const how = 'Allow more with the setting workflows.askAboveAgents, or `cadre run --yes`.';
  const context = openContext(agents, taskId);
  if (!context || !agents.questions.isAttended())
    return `Not started: ${forecast}. There is no one to ask. ${how}`;
  const question = questionAbout(agents, context, {
    ...{ toolName: 'Workflow', by: 'default', input: { name, agents: count } },
    reason: forecast,
    summary: `Let workflow ${name} start ${count} agents?`,
    allows: 'all agents of this run',
  });
  const answer = await agents.questions.propose(question, context.signal);
  return answer.behaviour === 'allow' ? undefined : `Not started: ${forecast}. ${answer.message}`;
}

function estimate({ account }: Models, count: number, tokens: number | undefined): string {
  const rows = account.report().rows.filter(({ agentId }) => agentId !== null);
  const earlier = new Set(rows.map(({ agentId }) => agentId)).size;
  const microUsd = rows.reduce((sum, row) => sum + (row.microUsd ?? 0), 0);
  const perAgent = tokens === undefined ? '' : ` (about ${tokens} tokens each)`;
  if (earlier === 0 || microUsd === 0) return `their cost cannot be estimated yet${perAgent}`;
  const usd = (microUsd / earlier / 1_000_000) * count;
  return `estimated from earlier agents, they will cost about $${usd.toFixed(usd < 1 ? 4 : 2)}${perAgent}`;
}

/** A question of the program to the user: of yes or no, unless it has choices; with none of them, an open one. Undefined where no one answers. */
export async function askUser(
  { agents }: Asking,
  taskId: string,
  name: string,
  { text, choices }: RunQuestion,
  signal: AbortSignal,
): Promise<string | undefined> {
  const context = openContext(agents, taskId);
  if (!context || !agents.questions.isAttended()) return undefined;
  const asked = visibleLine(text, 1_000);
  const options = (choices?.length === 1 ? yesOrNo : (choices ?? yesOrNo)).slice(0, 6).map((label) => ({
    label: visibleLine(label, 200),
  }));
  const question = questionAbout(agents, context, {
    ...{ toolName: 'AskUserQuestion', by: 'default', summary: asked },
    reason: `workflow ${name} asks`,
    input: { questions: [{ question: asked, header: visibleLine(name, 30), options }] },
  });
  const answer = await agents.questions.propose(question, signal);
  if (answer.behaviour !== 'allow') return undefined;
  const answers: unknown = answer.input?.answers;
  const given: unknown =
    typeof answers === 'object' && answers !== null ? Reflect.get(answers, asked) : undefined;
  return typeof given === 'string' ? given : Array.isArray(given) ? given.join(', ') : undefined;
}

const yesOrNo = ['Yes', 'No'];

function openContext({ roster, clock }: AgentKernel, taskId: string): ToolContext | undefined {
  const lead = roster.find(null);
  return (
    lead && {
      ...lead.context.hands,
      ...{ agentId: null, toolUseId: taskId, clock, signal: new AbortController().signal },
      ...{ mayRead: () => true, judged: () => undefined },
    }
  );
}
