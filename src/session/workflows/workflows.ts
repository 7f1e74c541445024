import { existsSync } from 'node:fs';
import type { AgentKernel } from '../../agents/kernel.ts';
import type { CommandSource } from '../../knowledge/command-source.ts';
import { form } from '../../lib/form/form.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { defineTool, errorResult, type TaskHandle, type Tool, textResult } from '../../protocol/index.ts';
import { definitionPlaces } from '../../settings/definition-places.ts';
import { withoutProgress } from '../../tools/without-progress.ts';
import type { FoundScripts } from '../../workflows/find-scripts.ts';
import type { RunEnd } from '../../workflows/run-types.ts';
import type { Kernel } from '../kernel.ts';
import { listDefinitionPlaces } from '../knowledge/skills.ts';
import type { Models } from '../models.ts';
import type { SessionFeature } from '../opening.ts';
import { type CallConditions, callStep } from './call-step.ts';
import type { LiveRuns, WorkflowWish } from './start-workflow.ts';
import description from './workflow-tool.md' with { type: 'text' };

/** Workflows as surfaces and programs see them. */
export interface WorkflowDesk {
  /** All scripts, read again: they may have changed. */
  list(): Promise<FoundScripts>;
  /** Ends one call of a running workflow as `skipped`. False if there is no such call. */
  skip(runId: string, callId: string): boolean;
  /** How a run of this session ended, or ends, by the id of its task. */
  ended(taskId: string): Promise<RunEnd> | undefined;
}

export interface SessionWorkflows extends WorkflowDesk {
  start(wish: WorkflowWish): Promise<Result<TaskHandle>>;
  /** `/name args` for each of them. */
  commands: CommandSource;
}

/** Runs of workflows as tasks of the session. What they need is loaded when one is started. */
export function workflowFeature(
  agents: AgentKernel,
  models: Models,
): SessionFeature<{ workflows: SessionWorkflows }> {
  return {
    name: 'workflows',
    open(kernel) {
      const conditions = new Map<string, CallConditions>();
      const runs: LiveRuns = new Map();
      const list = () => findAll(kernel);
      const start = async (wish: WorkflowWish): Promise<Result<TaskHandle>> => {
        if (kernel.tape) return failure('Workflows are not part of a recorded session.');
        const { startWorkflow } = await import('./start-workflow.ts');
        return startWorkflow({ kernel, agents, models, conditions, runs, list }, wish);
      };
      const commands = new WorkflowCommands(kernel, start);
      const workflows: SessionWorkflows = {
        ...{ list, start, commands },
        skip: (runId, callId) => [...runs.values()].some(({ run }) => run.id === runId && run.skip(callId)),
        ended: (taskId) => runs.get(taskId)?.ended,
      };
      return {
        workflows,
        agentSteps: [callStep((agentId) => conditions.get(agentId))],
        drivingTools: hasAny(kernel) ? [workflowTool(start)] : [],
        ready: () => void commands.refresh(),
      };
    },
  };
}

function hasAny({ options, place }: Kernel): boolean {
  const places = definitionPlaces('workflows', listDefinitionPlaces(options, place));
  return places.some(({ directory }) => existsSync(directory));
}

async function findAll(kernel: Kernel): Promise<FoundScripts> {
  if (!hasAny(kernel)) return { scripts: [], broken: [] };
  const { options, place, trust } = kernel;
  const { findScripts } = await import('../../workflows/find-scripts.ts');
  return findScripts(listDefinitionPlaces(options, place), trust);
}

/** A slash command for each workflow: it starts at once, and the lead is told that it did. */
class WorkflowCommands implements CommandSource {
  readonly from = 'workflow';
  readonly acts = true;
  #entries: { name: string; description: string }[] = [];
  #held = new Set<string>();

  constructor(
    private readonly kernel: Kernel,
    private readonly start: (wish: WorkflowWish) => Promise<Result<TaskHandle>>,
  ) {}

  async refresh(): Promise<void> {
    const { scripts } = await findAll(this.kernel);
    this.#held = new Set(scripts.flatMap(({ meta, isTrusted }) => (isTrusted ? [] : [meta.name])));
    this.#entries = scripts
      .filter(({ isTrusted }) => isTrusted)
      .map(({ meta: { name, description } }) => ({ name, description }));
  }

  list() {
    return this.#entries;
  }

  /** Those that wait for trust: a model must not improvise what the user named. */
  knows(name: string): boolean {
    return this.#held.has(name);
  }

  async prepare(): Promise<undefined> {
    await this.refresh();
    return undefined;
  }

  async expand(name: string, args: string): Promise<Result<string>> {
    const started = await this.start({ name, argsText: args, owner: null });
    if (!started.ok) return started;
    return ok(
      `The user started the workflow ${name}. It runs in the background as task ${started.value.id}; you are notified when it ends. Say so in one sentence, and do nothing else for it.`,
    );
  }
}

const schema = form.strictObject({
  name: form.string().max(200).optional(),
  args: form.unknown().optional(),
  resume: form.string().max(60).optional().describe('id of a run'),
});

/** The same bytes in every session: which workflows exist is found out by calling it. Offered where there are any. */
function workflowTool(start: (wish: WorkflowWish) => Promise<Result<TaskHandle>>): Tool {
  return defineTool({
    name: 'Workflow',
    description: description.trim(),
    schema,
    access: () => [{ kind: 'none' }],
    concurrent: () => false,
    effect: () => 'unsafe',
    summary: ({ name, resume }) => visibleLine(name ?? `resume ${resume ?? ''}`, 200),
    run: ({ name, args, resume }, { agentId, toolUseId }) =>
      withoutProgress(async () => {
        const started = await start({ name, args: readArgs(args), resume, owner: agentId, toolUseId });
        if (!started.ok)
          return errorResult([started.problem.message, started.problem.hint].filter(Boolean).join(' '));
        const { id, outputFile } = started.value;
        return textResult(
          `The workflow runs in the background as task ${id}. You are notified when it ends, so do not wait or poll. Its progress is in ${outputFile}.`,
          { status: 'async_launched', taskId: id, outputFile },
        );
      }),
  }) as Tool;
}

/** Models often write JSON as text: taken as it is, a script would go through its letters. */
function readArgs(args: unknown): unknown {
  if (typeof args !== 'string' || !/^\s*[[{]/.test(args)) return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}
