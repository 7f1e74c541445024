import { form } from '../lib/form/form.ts';
import { ok, type Result } from '../lib/result.ts';
import {
  type Answer,
  defineTool,
  errorResult,
  type PermissionMode,
  type Tool,
  type ToolContext,
  type ToolResult,
  textResult,
} from '../protocol/index.ts';
import enterDescription from './enter-plan-mode.md' with { type: 'text' };
import exitDescription from './exit-plan-mode.md' with { type: 'text' };
import { readPlan, writePlan } from './plan-file.ts';
import instructions from './plan-instructions.md' with { type: 'text' };
import workerPhases from './worker-plan.md' with { type: 'text' };

/** The part of the session that plan mode needs. Agents are identified by id; null is the lead. */
export interface PlanDesk {
  /** The plan file, while this agent is in plan mode. */
  findPlanFile(agentId: string | null): string | undefined;
  /** Starts plan mode for the lead. */
  enter(): Result<{ planFile: string; instructions: string }>;
  /** The plan was approved: restores the previous mode, or switches to the one the user chose. */
  leave(agentId: string | null, mode: PermissionMode | undefined): PermissionMode;
  /** Whether this agent only helps with the plan of an agent above it. */
  helps(agentId: string | null): boolean;
  /** Whether this agent passes its plan in the call because it writes no file: the harness writes it then. */
  handsIn?(agentId: string | null): boolean;
  /** Submits a plan to the approver of this agent's plans. `isAttended`: there is one, who may approve a later version. */
  propose(
    context: ToolContext,
    plan: { plan: string; planFilePath: string },
  ): Promise<{ answer: Answer; isAttended: boolean }>;
}

/** `workflow` replaces the phases; what may not be done, and how plan mode ends, stays. */
export function planInstructions(planFile: string, workflow?: string): string {
  const [limits = '', phases = '', place = ''] = instructions.trim().split('\n\n');
  const work = workflow === undefined ? phases : `${workflow.trim()}\n\n${ending}`;
  return [limits, work, place.replace('{planFile}', () => planFile)].join('\n\n');
}

/** For an agent of the lead: it starts no agents and asks nobody, and its plan goes to the one who approves plans there. */
export function workerPlanInstructions(planFile: string): string {
  const [limits = '', , place = ''] = instructions.trim().split('\n\n');
  return [limits, workerPhases.trim(), place.replace('{planFile}', () => planFile)].join('\n\n');
}

const ending =
  'At the end write the plan to the plan file and call ExitPlanMode. The user reads the plan and approves it or says what is missing; if it is rejected, keep planning.';

const enterSchema = form.strictObject({});

export function enterPlanModeTool(desk: () => PlanDesk): Tool {
  return defineTool({
    name: 'EnterPlanMode',
    description: enterDescription.trim(),
    schema: enterSchema,
    access: () => [{ kind: 'none' }],
    concurrent: () => false,
    summary: () => '',
    // biome-ignore lint/correctness/useYield: it is over at once
    async *run(_, { agentId }): AsyncGenerator<never, ToolResult> {
      if (agentId !== null) return errorResult('Only the main agent can start plan mode.');
      const before = desk().findPlanFile(null);
      if (before) return textResult(`Plan mode is already on. The plan file is ${before}.`);
      const entered = desk().enter();
      if (!entered.ok) return errorResult(entered.problem.message);
      const { planFile, instructions: told } = entered.value;
      return textResult(told, { message: 'Plan mode is on.', planFile });
    },
  }) as Tool;
}

/** Other products pass the plan here; ours is in its file, where the user can read and change it. */
const exitSchema = form.looseObject({ plan: form.string().optional() });

export function exitPlanModeTool(desk: () => PlanDesk): Tool {
  return defineTool({
    name: 'ExitPlanMode',
    description: exitDescription.trim(),
    schema: exitSchema,
    access: () => [{ kind: 'none' }],
    concurrent: () => false,
    summary: () => '',
    // biome-ignore lint/correctness/useYield: it waits for a person
    async *run({ plan }, context): AsyncGenerator<never, ToolResult> {
      return showPlan(desk(), context, plan);
    },
  }) as Tool;
}

async function showPlan(
  desk: PlanDesk,
  context: ToolContext,
  handedIn: string | undefined,
): Promise<ToolResult> {
  const { agentId } = context;
  const planFile = desk.findPlanFile(agentId);
  if (planFile === undefined) return errorResult(desk.helps(agentId) ? onlyHelps : notPlanning);
  const handsIn = desk.handsIn?.(agentId) === true;
  if (handsIn && !handedIn?.trim()) return errorResult('Give the whole plan in `plan`.');
  const written = handsIn ? writePlan(planFile, handedIn ?? '') : ok(undefined);
  if (!written.ok) return errorResult(written.problem.message);
  const plan = readPlan(planFile);
  if (!plan.ok) return errorResult(plan.reason);
  const { answer, isAttended } = await desk.propose(context, { plan: plan.text, planFilePath: planFile });
  if (answer.behaviour === 'deny')
    return errorResult(
      isAttended
        ? `The plan was not approved: ${answer.message}\nPlan mode stays on. Revise the plan and ask again.`
        : unattended,
    );
  return approved(desk, agentId, planFile, plan.text, answer);
}

const unattended =
  'Nobody is there to approve the plan in this run, and plan mode stays on, so nothing can be changed. End your turn now: show the whole plan in your answer, for the user to read later.';
const notPlanning = 'Plan mode is off: continue with the work.';
const onlyHelps = 'The agent that started you writes the plan and asks for approval. Report what you found.';

/** The approved plan is the one that was shown, unless the user returned a changed one with the approval. */
function approved(
  desk: PlanDesk,
  agentId: string | null,
  planFile: string,
  shown: string,
  { input, mode }: Extract<Answer, { behaviour: 'allow' }>,
): ToolResult {
  const given = typeof input?.plan === 'string' && input.plan.trim() !== '' ? input.plan : shown;
  const isEdited = given !== shown;
  const kept = isEdited ? writePlan(planFile, given) : ok(undefined);
  if (!kept.ok) return errorResult(`The changed plan cannot be saved: ${kept.problem.message}`);
  const restored = desk.leave(agentId, mode);
  const note = isEdited ? ' The user changed it; this is the new plan.' : '';
  const next =
    restored === 'plan'
      ? 'The whole session is in plan mode now, so nothing can be changed yet: report the plan.'
      : `The mode is ${restored} again. Carry it out now.`;
  return textResult(`The plan is approved.${note} ${next}\n\n${given}`, {
    plan: given,
    isAgent: agentId !== null,
    filePath: planFile,
    planWasEdited: isEdited,
  });
}
