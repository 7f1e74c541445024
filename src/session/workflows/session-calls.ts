import { copyFileSync, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AgentDefinition } from '../../agents/definition.ts';
import type { AgentKernel } from '../../agents/kernel.ts';
import { prepareAgent } from '../../agents/prepare-agent.ts';
import { resumeAgent } from '../../agents/resume-agent.ts';
import type { LiveAgent } from '../../agents/roster.ts';
import { startAgent } from '../../agents/start-agent.ts';
import { resolveAgentModel } from '../../agents/steps/model.ts';
import { resolveType } from '../../agents/steps/type.ts';
import { ensurePrivateDirectory } from '../../lib/files/atomic.ts';
import { hashBytes } from '../../lib/hash.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { remind } from '../../lib/text/harness-tags.ts';
import { isTerminal } from '../../models/attempts.ts';
import { noUsage, type TaskEnd, type TaskHandle, type TaskView } from '../../protocol/index.ts';
import type { Outcome, OutcomeKind } from '../../protocol/outcome.ts';
import type { AgentSettings } from '../../settings/loaded.ts';
import type { Letter } from '../../tasks/inbox.ts';
import { outputTool, type StructuredOutput } from '../../tools/structured-output/synthetic-output.ts';
import type { JsonSchema } from '../../tools/structured-output/synthetic-output-schema.ts';
import { renderCanonical } from '../../workflows/call-key.ts';
import type {
  CallAgent,
  CallConduct,
  CallResult,
  CallRunner,
  Resolution,
  WrittenCall,
} from '../../workflows/call-runner.ts';
import type { CallOutcome } from '../../workflows/run-port.ts';
import type { Kernel } from '../kernel.ts';
import type { Models } from '../models.ts';
import type { CallConditions } from './call-step.ts';

/** The agents of workflows: what their calls mean in this session, and running them. */
export class SessionCalls {
  readonly #open = new Map<string, OpenCall>();

  constructor(
    private readonly kernel: Kernel,
    private readonly agents: AgentKernel,
    private readonly models: Models,
    /** Of calls that are open, by their agents. */
    private readonly conditions: Map<string, CallConditions>,
  ) {
    kernel.events.listen((event) => {
      if (event.type === 'task_changed') this.#open.get(event.task.id)?.noteSuspended(event.task.suspended);
      const call = event.type === 'run_ended' && event.agentId ? this.#open.get(event.agentId) : undefined;
      if (call && event.type === 'run_ended') call.outcome = event.outcome;
    });
  }

  /** For the run of this task, which is the parent of its agents: they are shown and stopped with it, and report to it alone. */
  openRunner(taskId: string): CallRunner {
    return {
      resolve: (call) => this.#resolve(call),
      run: (call, conduct) => this.#run(call, conduct, taskId),
    };
  }

  #resolve({ options }: WrittenCall): Result<Resolution> {
    const definition = this.#findDefinition(options.agentType);
    if (!definition.ok) return definition;
    const { current, resolve } = this.models;
    const model = resolveAgentModel({
      ...{ call: options.model, definition: definition.value, environment: this.agents.settings.model },
      ...{ parent: this.agents.roster.find(null)?.context.model ?? current, resolve, said: new Set() },
    });
    if (!model.ok) return model;
    return ok({
      agentType: definition.value.name,
      definition: hashDefinition(definition.value),
      model: model.value.model.id,
    });
  }

  #findDefinition(name: string | undefined): Result<AgentDefinition> {
    const lead = this.agents.roster.find(null);
    const found = resolveType(name ?? 'general-purpose', {
      definitions: this.agents.definitions,
      forking: false,
      rules: lead?.context.permissions.rules ?? [],
      spawnable: lead?.spawnable,
    });
    if (!found.ok) return found;
    return found.value.kind === 'definition'
      ? ok(found.value.definition)
      : usage('A workflow cannot start a fork.');
  }

  async #run(call: WrittenCall, conduct: CallConduct, taskId: string): Promise<CallResult> {
    const given: { value?: unknown } = {};
    const { schema, tools, hiddenFiles = [] } = call.options;
    const output = schema
      ? outputTool(schema as JsonSchema, (value) => Object.assign(given, { value }))
      : ok(undefined);
    if (!output.ok) return refuse(output.problem.message);
    const earlier =
      conduct.earlier && (await this.#mayContinue(conduct.earlier)) ? conduct.earlier : undefined;
    const agentId = earlier?.agentId ?? `a${this.agents.ids.token(12)}`;
    const { identity } = this.kernel;
    const transcript = identity.files.agentTranscript(agentId);
    const noted = await conduct.noteStarted({ agentId, sessionId: identity.id, transcript });
    if (!noted.ok) return refuse(noted.problem.message);
    this.conditions.set(agentId, { tools, hiddenFiles, output: output.value });
    const open: OpenCall = { noteSuspended: conduct.noteSuspended };
    this.#open.set(agentId, open);
    try {
      const began = await this.#begin(call, conduct, agentId, earlier, taskId);
      if (!began.ok) return this.#explainUnstarted(call, began.problem.message);
      const end = await waitForEnd(began.value, conduct.signal);
      const text = open.outcome?.outputMissing ? showRejected(output.value, end.text) : end.text;
      const value = schema === undefined ? text : given.value;
      return this.#read(agentId, { ...end, text }, open.outcome, value);
    } finally {
      this.conditions.delete(agentId);
      this.#open.delete(agentId);
    }
  }

  async #begin(
    { prompt, options }: WrittenCall,
    { signal, label }: CallConduct,
    id: string,
    earlier: CallAgent | undefined,
    taskId: string,
  ): Promise<Result<TaskHandle>> {
    const lead = this.agents.roster.find(null);
    const definition = this.#findDefinition(options.agentType);
    if (!definition.ok) return definition;
    if (!lead) return usage('The session is not open.');
    const parent = placeBelow(lead, taskId);
    const toolUseId = `${taskId}-${id}`;
    const settings = limitTime(this.agents.settings, options.timeoutMs);
    if (earlier) {
      const task = { ...blankTask, id, description: label, owner: taskId };
      const wish = { toolUseId, signal, background: false, settings };
      const resumed = await resumeAgent(this.agents, parent, task, continueLetter, wish);
      return resumed.ok ? ok(resumed.value.handle) : resumed;
    }
    const { system, model, effort, isolation } = options;
    const type = system === undefined ? definition.value : { ...definition.value, prompt: system };
    const request = {
      toolUseId,
      description: label,
      prompt,
      type,
      model,
      effort,
      isolation,
      background: false,
    };
    const refuseLate = () => (signal.aborted ? 'The run was stopped before the agent started.' : undefined);
    return prepareAgent(this.agents, parent, request, { signal, id, settings, refuse: refuseLate }, (spec) =>
      startAgent(this.agents, spec),
    );
  }

  /** Whether there is something to continue. One that was cut off before its prompt was written starts again, under another id. */
  async #mayContinue(agent: CallAgent): Promise<boolean> {
    if (!this.#bring(agent)) return false;
    const loaded = await this.agents.records.load(agent.agentId);
    if (!loaded.ok) return false;
    const { messages, unread } = loaded.value;
    return [...messages, ...unread].some(
      (record) => 'origin' in record && record.origin.kind === 'delegation',
    );
  }

  /** Copies the transcript of an agent of another session here. False if it no longer exists: then it starts again. */
  #bring({ agentId, transcript }: CallAgent): boolean {
    const own = this.kernel.identity.files.agentTranscript(agentId);
    if (existsSync(own)) return true;
    if (!existsSync(transcript) || !ensurePrivateDirectory(dirname(own)).ok) return false;
    try {
      copyFileSync(transcript, own);
      return true;
    } catch {
      return false;
    }
  }

  #explainUnstarted(call: WrittenCall, reason: string): CallResult {
    const resolved = this.#resolve(call);
    const isBroken = resolved.ok && this.models.isBroken(resolved.value.model);
    return isBroken ? { kind: 'halted', halt: { reason }, usage: noUsage } : refuse(reason);
  }

  #read(agentId: string, end: TaskEnd, run: Outcome | undefined, value: unknown): CallResult {
    const failure = run?.failure;
    const view = this.agents.tasks.view(agentId);
    const usage = end.usage?.requests ?? noUsage;
    const reason = end.reason ?? view?.error;
    if (view?.suspended && !view.stoppedBy)
      return {
        kind: 'halted',
        halt: { reason: view.suspended.reason, until: view.suspended.until },
        agentId,
        usage,
      };
    const model = view?.agent?.model;
    // Where nothing listens, the next call would fail as well.
    if (failure && (isTerminal(failure) || failure.unsent || failure.resetsAt !== undefined))
      return { kind: 'halted', halt: { reason: failure.message, until: failure.resetsAt }, agentId, usage };
    const outcome = mapOutcome(end.outcome ?? end.status);
    return {
      ...{ kind: 'ended', outcome, text: end.text, reason, agentId, model, usage },
      ...(outcome === 'ok' ? { value } : {}),
      ...(end.outcome === 'timed_out' ? { timedOut: true as const } : {}),
      ...(run?.outputMissing ? { outputMissing: true as const } : {}),
    };
  }
}

interface OpenCall {
  noteSuspended: CallConduct['noteSuspended'];
  /** How its agent ended. */
  outcome?: Outcome | undefined;
}

/** Without an answer of the requested form: the one that was given, so that it need not be made again. */
function showRejected(output: StructuredOutput | undefined, text: string): string {
  const rejected = output?.rejected();
  return rejected === undefined ? text : JSON.stringify(rejected).slice(0, maxRejected);
}

const maxRejected = 100_000;

const outcomes: Partial<Record<OutcomeKind, CallOutcome>> = {
  completed: 'ok',
  out_of_budget: 'over_budget',
  interrupted: 'interrupted',
  killed: 'interrupted',
};

function mapOutcome(kind: OutcomeKind): CallOutcome {
  return outcomes[kind] ?? 'failed';
}

function refuse(reason: string): CallResult {
  return { kind: 'ended', outcome: 'refused', text: '', reason, usage: noUsage };
}

/** What decides what its agents do: a change of its file that decides nothing is not a difference. */
function hashDefinition(definition: AgentDefinition): string {
  const { name, prompt, tools, disallowedTools, permissionMode, maxTurns, isolation, skills, role } =
    definition;
  const written = renderCanonical({
    name,
    prompt,
    tools,
    disallowedTools,
    permissionMode,
    maxTurns,
    isolation,
    skills,
    role,
  });
  return written.ok ? hashBytes(written.value) : '';
}

/** The lead's world under the id of a task. Getters stay getters: the user's changes for the lead apply at once. */
function placeBelow(lead: LiveAgent, taskId: string): LiveAgent {
  const context = Object.create(lead.context, { agentId: { value: taskId, enumerable: true } });
  const { account, spawnable, omitsMemory } = lead;
  return { context, account, spawnable, omitsMemory };
}

function limitTime(settings: AgentSettings, timeoutMs: number | undefined): AgentSettings {
  return timeoutMs === undefined ? settings : { ...settings, timeoutSeconds: timeoutMs / 1000 };
}

const blankTask: Omit<TaskView, 'id' | 'description' | 'owner'> = {
  ...{ runId: '', startedAt: '', outputFile: '', isBackgrounded: false },
  kind: 'local_agent',
  status: 'killed',
};

const continueLetter: Letter = {
  delivery: 'steer',
  content: [
    {
      type: 'text',
      text: remind(
        'The process that ran you has ended, and you continue now: go on where you stopped. If you had already finished, give your final answer again.',
      ),
    },
  ],
  origin: { kind: 'harness' },
};

async function waitForEnd(task: TaskHandle, signal: AbortSignal): Promise<TaskEnd> {
  const stop = () => void task.kill(typeof signal.reason === 'string' ? signal.reason : 'stopped');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await task.result();
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
