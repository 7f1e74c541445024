import type { z } from 'zod';
import { formatError } from '../lib/result.ts';
import { Secrets } from '../lib/secrets/secrets.ts';
import { addUsage, noUsage, totalTokens, type Usage } from '../protocol/message.ts';
import type { ResolvedClaim } from '../protocol/receipt.ts';
import { findUnconfirmed } from '../receipts/resolve-claims.ts';
import type { AgentCallEnd, AgentCallOptions, CallOutcome, RunPort } from '../workflows/run-port.ts';
import { boundReport, completeReport, hasRun, listFailedChecks, listRan } from './check-report.ts';
import { listRedefined } from './checks-at-first.ts';
import { pickAnswerSchema } from './json-schemas.ts';
import { buildCallOptions, type CallChoices, renderCorrection, renderRequest } from './render-call.ts';
import { type ResolvedTemplate, resolveTemplate } from './resolve-template.ts';
import { handoffRoles, type RoleFindings, type RoleName } from './roles.ts';
import {
  type CheckName,
  type HandoffRequest,
  type HandoffRequestInput,
  type HandoffResponse,
  handoffVersion,
  type PreviousFindings,
  requestSchema,
} from './schema.ts';
import type { CheckReport, HandoffSetup, RanChecks } from './setup.ts';

export interface HandoffOptions<Role extends RoleName = RoleName> extends CallChoices {
  setup: HandoffSetup;
  role: Role;
  /** A template of the user's own for this role. */
  template?: string | undefined;
  /** A validator's: the checks to run, all unless given. */
  checks?: readonly CheckName[] | undefined;
}

/** One agent call of a hand-off: the first, or the correction. */
export interface HandoffCall {
  agentId?: string | undefined;
  model?: string | undefined;
  usage: Usage;
}

interface Made {
  calls: HandoffCall[];
  tokens: number;
}

/** How a hand-off ended. Only `answered` has a response. */
export type HandoffEnd<Findings> = Made &
  (
    | {
        kind: 'answered';
        response: HandoffResponse<Findings>;
        /** The harness ran the checks. */
        checked: boolean;
        /** Its claims beside what the harness recorded; absent where nothing compares them. */
        judged?: readonly ResolvedClaim[] | undefined;
      }
    /** Twice not valid. The raw text is kept in the run's journal under the handle. */
    | { kind: 'blocked'; errors: string[]; handle: string; text: string }
    | { kind: 'timed_out'; text: string }
    | { kind: 'ended'; outcome: Exclude<CallOutcome, 'ok'>; reason: string; text: string }
    /** Nothing was started. */
    | { kind: 'refused'; errors: string[] }
  );

/** Hands one request to one agent and returns its validated answer. Never rejects. */
export async function handoff<Role extends RoleName>(
  run: RunPort,
  given: HandoffRequestInput,
  options: HandoffOptions<Role>,
): Promise<HandoffEnd<RoleFindings<Role>>> {
  const secrets = options.setup.secrets ?? new Secrets();
  const parsed = requestSchema.safeParse(secrets.hideIn(given));
  if (!parsed.success) return refuse(listIssues(parsed.error));
  const { phase } = handoffRoles[options.role];
  if (parsed.data.phase !== phase)
    return refuse([`phase: expected ${phase} for the role ${options.role}, got ${parsed.data.phase}`]);
  const template = resolveTemplate(options.setup.library, options.template ?? options.role);
  if (!template.ok)
    return refuse([[template.problem.message, template.problem.hint].filter(Boolean).join(' ')]);
  if (template.value.template.phase !== phase)
    return refuse([
      `template ${template.value.template.name}: it is for the phase ${template.value.template.phase}`,
    ]);
  const attempt = new Attempt<RoleFindings<Role>>(run, options, template.value, secrets);
  return attempt.make(parsed.data);
}

function refuse(errors: string[]): Made & { kind: 'refused'; errors: string[] } {
  return { kind: 'refused', errors, calls: [], tokens: 0 };
}

class Attempt<Findings> {
  readonly #calls: HandoffCall[] = [];
  /** What the work changed in what the checks do. */
  #redefined: string[] = [];

  constructor(
    private readonly run: RunPort,
    private readonly options: HandoffOptions,
    private readonly template: ResolvedTemplate,
    private readonly secrets: Pick<Secrets, 'hideIn'>,
  ) {}

  /** Work of the harness rejects where the run is stopped or its journal is lost. */
  async make(given: HandoffRequest): Promise<HandoffEnd<Findings>> {
    try {
      return await this.#make(given);
    } catch (error) {
      const outcome = this.run.signal.aborted ? 'interrupted' : 'failed';
      return { kind: 'ended', outcome, reason: formatError(error), text: '', ...this.#made() };
    }
  }

  async #make(given: HandoffRequest): Promise<HandoffEnd<Findings>> {
    const checked = await this.#runChecks(given);
    if (checked) {
      const { setup, checks: only } = this.options;
      this.#redefined = await listRedefined(this.run, setup, given.task_id, only);
    }
    const request = checked ? addChecks(given, checked) : given;
    const call = buildCallOptions(this.options.role, this.template, this.options, checked !== undefined);
    const first = await this.#call(renderRequest(request), call, checked);
    if (!('errors' in first)) return this.#settle(first, request, checked);
    this.run.log(`${call.label}: the answer is not valid, asking once more: ${first.errors[0] ?? ''}`);
    const second = await this.#call(renderCorrection(request, first.raw, first.errors), call, checked);
    if (!('errors' in second)) return this.#settle(second, request, checked);
    const handle = await this.#keep(request.task_id, second.raw);
    return { kind: 'blocked', errors: second.errors, handle, text: second.raw, ...this.#made() };
  }

  /** Undefined where the harness runs none. */
  async #runChecks({ task_id, phase }: HandoffRequest): Promise<CheckReport | undefined> {
    const { setup, checks: only } = this.options;
    const port = phase === 'validate' ? setup.checks : undefined;
    if (!port) return undefined;
    const report = await this.run.step({
      name: `checks ${task_id}`,
      input: { task_id, only: only ?? 'all' },
      work: async (signal) => {
        try {
          const found = await port.run(signal, only);
          // What checks say while they are being ended is not their outcome, and must not be recorded.
          signal.throwIfAborted();
          return this.secrets.hideIn(boundReport(found));
        } catch (error) {
          throw new Error(`The checks could not run: ${formatError(error)}`);
        }
      },
    });
    return Object.keys(report).length === 0 ? undefined : report;
  }

  async #call(prompt: string, options: AgentCallOptions, checked: CheckReport | undefined): Promise<Called> {
    const end = await this.run.agent(prompt, options);
    const { agentId, model, usage } = end;
    this.#calls.push({ agentId, model, usage });
    const text = this.secrets.hideIn(end.text);
    if (end.outputMissing) return { errors: [end.reason ?? 'expected a structured answer'], raw: text };
    if (end.outcome !== 'ok') return { end: { ...end, text } };
    const value = this.secrets.hideIn(end.value);
    const parsed = pickAnswerSchema(this.options.role, checked !== undefined).safeParse(value);
    if (parsed.success) return { answer: parsed.data };
    const raw = typeof value === 'string' ? value : JSON.stringify(value ?? null);
    return { errors: listIssues(parsed.error), raw };
  }

  async #settle(
    called: Exclude<Called, Invalid>,
    request: HandoffRequest,
    checked: CheckReport | undefined,
  ): Promise<HandoffEnd<Findings>> {
    if ('end' in called) return this.#endEarly(called.end);
    const { answer } = called;
    const { task_id, phase } = request;
    const response: HandoffResponse<unknown> = {
      ...{ version: handoffVersion, task_id, phase, ...answer },
      tokens_used: this.#made().tokens,
    };
    const judged = await this.#judgeClaims(response, checked ? listRan(checked) : {});
    const decided = checked ? decideByChecks(response, checked) : response;
    const issues = [...this.#redefined, ...listClaimIssues(judged ?? [])];
    return {
      kind: 'answered',
      // The schema of the role was checked above.
      response: lowerBy(issues, decided) as HandoffResponse<Findings>,
      checked: checked !== undefined && hasRun(checked),
      ...(judged ? { judged } : {}),
      ...this.#made(),
    };
  }

  /** Recorded once, so that a resumed run decides the same. */
  async #judgeClaims(
    { task_id, claims, context_summary: summary }: HandoffResponse,
    ran: RanChecks,
  ): Promise<ResolvedClaim[] | undefined> {
    const port = this.options.setup.claims;
    if (!port || claims.length === 0) return undefined;
    const agentId = this.#calls[0]?.agentId;
    return this.run.step({
      name: `claims ${task_id}`,
      input: { task_id, claims },
      work: () => port.judge(claims, { agentId, summary, ran }),
    });
  }

  #endEarly({ outcome, reason, text, timedOut }: AgentCallEnd): HandoffEnd<Findings> {
    if (timedOut) return { kind: 'timed_out', text, ...this.#made() };
    const why = reason ?? (outcome === 'ok' ? 'no answer' : outcome.replace('_', ' '));
    return {
      kind: 'ended',
      outcome: outcome === 'ok' ? 'failed' : outcome,
      reason: why,
      text,
      ...this.#made(),
    };
  }

  /** In the journal, so that it survives the run. */
  async #keep(taskId: string, text: string): Promise<string> {
    const handle = `${this.run.id}/raw/${taskId}`;
    await this.run.step({
      name: `raw answer ${taskId}`,
      input: { task_id: taskId },
      work: async () => ({ handle, text }),
    });
    return handle;
  }

  #made(): Made {
    const usage = this.#calls.map((call) => call.usage).reduce(addUsage, noUsage);
    return { calls: [...this.#calls], tokens: totalTokens(usage) };
  }
}

interface Invalid {
  errors: string[];
  raw: string;
}

type Answer = z.output<ReturnType<typeof pickAnswerSchema>>;
type Called = { answer: Answer } | Invalid | { end: AgentCallEnd };

function addChecks(request: HandoffRequest, checks: CheckReport): HandoffRequest {
  const { previous_findings: before } = request.context;
  const previous: PreviousFindings = typeof before === 'string' ? { summary: before } : (before ?? {});
  return { ...request, context: { ...request.context, previous_findings: { ...previous, checks } } };
}

/** The outcome of a check is what the harness saw. The model may find more to object to, never less. */
function decideByChecks(response: HandoffResponse<unknown>, checks: CheckReport): HandoffResponse<unknown> {
  const failed = listFailedChecks(checks).map(({ check }) => check);
  const findings = { checks: completeReport(checks), ...(response.findings as object) };
  if (failed.length === 0 || response.decision === 'STOP') return { ...response, findings };
  return { ...response, findings, decision: 'STOP', reason: `Failed checks: ${failed.join(', ')}.` };
}

/** Claims about a check or a file that the records do not support. */
function listClaimIssues(judged: readonly ResolvedClaim[]): string[] {
  return findUnconfirmed(judged).map(({ claim, verdict, reason }) => {
    const about = [claim.kind, claim.path, claim.expect].filter(Boolean).join(' ');
    return `claim ${verdict}: ${about}${reason === '' ? '' : ` (${reason})`}`;
  });
}

/** With such an issue the work is not complete, whatever its agent says. */
function lowerBy(issues: readonly string[], response: HandoffResponse): HandoffResponse {
  if (issues.length === 0) return response;
  const status = response.status === 'complete' ? 'partial' : response.status;
  return { ...response, status, issues: [...response.issues, ...issues] };
}

/** `findings.files_changed.0.path: expected string`, for the agent and for the user. */
export function listIssues({ issues }: z.ZodError): string[] {
  return issues.slice(0, 20).map(({ path, message }) => {
    const field = path.map(String).join('.');
    return field === '' ? message : `${field}: ${message}`;
  });
}
