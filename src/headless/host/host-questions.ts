import { describeValue } from '../../lib/fields/describe-value.ts';
import { isRecord } from '../../lib/fields/field-values.ts';
import type { Ids } from '../../lib/ids.ts';
import type { AgentEvent, Answer, Elicitation, Question } from '../../protocol/index.ts';
import type { ShownSession } from '../../session/attached/shown-session.ts';
import { formatRule } from '../../settings/rules.ts';
import { type Io, writeFrame } from '../io.ts';
import { buildSuggestion, readUpdates } from './permission-updates.ts';
import type { ControlResponse } from './wire.ts';

/** Puts the session's questions to the host as `can_use_tool` and returns the answers. */
export class HostQuestions {
  readonly #questionsByRequest = new Map<string, { id: string; isElicitation: boolean }>();

  constructor(
    private readonly session: Pick<ShownSession, 'send' | 'info'>,
    private readonly io: Io,
    private readonly ids: Ids,
  ) {}

  async accept(event: AgentEvent): Promise<void> {
    if (event.type === 'question_asked') await this.#ask(event.question);
    if (event.type === 'question_answered') await this.#cancel(event.questionId);
  }

  /** False when the response belongs to no question of ours. */
  answer({ response }: ControlResponse): boolean {
    const asked = this.#questionsByRequest.get(response.request_id);
    if (asked === undefined) return false;
    this.#questionsByRequest.delete(response.request_id);
    const answer =
      response.subtype === 'error'
        ? deny(response.error)
        : asked.isElicitation
          ? elicitationAnswer(response.response)
          : readHostAnswer(response.response, this.session.info().cwd);
    // A host that had no one to ask has not answered.
    const by = response.subtype === 'error' ? 'unattended' : 'host';
    this.session.send({ type: 'answer', questionId: asked.id, answer, by });
    // A call's own question ends its turn by itself; a server's question belongs to no call.
    if (asked.isElicitation && answer.behaviour === 'deny' && answer.interrupt)
      this.session.send({ type: 'interrupt' });
    return true;
  }

  async #ask(question: Question): Promise<void> {
    const requestId = this.ids.uuid();
    const { elicitation } = question;
    this.#questionsByRequest.set(requestId, { id: question.id, isElicitation: elicitation !== undefined });
    await writeFrame(this.io, {
      type: 'control_request',
      request_id: requestId,
      request: elicitation ? elicitationRequest(elicitation) : buildRequest(question),
    });
  }

  /** A question that was settled otherwise (an interrupt) is withdrawn from the host. */
  async #cancel(questionId: string): Promise<void> {
    for (const [requestId, asked] of this.#questionsByRequest) {
      if (asked.id !== questionId) continue;
      this.#questionsByRequest.delete(requestId);
      await writeFrame(this.io, { type: 'control_cancel_request', request_id: requestId });
    }
  }
}

function buildRequest(question: Question): object {
  const { decision, suggestions, asker } = question;
  const isForPeople = question.toolName === 'AskUserQuestion' || question.toolName === 'Dream';
  return {
    subtype: 'can_use_tool',
    tool_name: question.toolName,
    display_name: question.toolName,
    input: question.input,
    tool_use_id: question.toolUseId,
    permission_suggestions: suggestions.map(buildSuggestion),
    decision_reason: decision.reason,
    decision_reason_type: reasonTypes[decision.by],
    description: question.preview ?? question.summary,
    matched_ask_rule: decision.rule ? formatRule(decision.rule) : undefined,
    suppress_always_allow_rule: suggestions.length === 0 || undefined,
    default_to_no: question.risk.level === 'high' || undefined,
    requires_user_interaction: isForPeople || undefined,
    ...(question.agentId === null
      ? {}
      : {
          agent_id: question.agentId,
          title: `${asker.type}${asker.description ? `: ${asker.description}` : ''}`,
        }),
  };
}

const reasonTypes = {
  rule: 'rule',
  mode: 'mode',
  default: 'mode',
  workspace: 'workingDir',
  'protected-path': 'safetyCheck',
  judge: 'classifier',
  hook: 'hook',
  sandbox: 'sandboxOverride',
  ceiling: 'other',
  role: 'other',
} as const;

function readHostAnswer(response: unknown, base: string): Answer {
  const given = (response ?? {}) as Record<string, unknown>;
  if (given.behavior !== 'allow' && given.behavior !== 'deny')
    return ignored(`behavior: expected allow or deny, found ${describeValue(given.behavior)}`);
  if (given.behavior === 'deny') {
    const message =
      typeof given.message === 'string' && given.message !== '' ? given.message : 'The user said no.';
    return { ...deny(message), interrupt: given.interrupt === true || undefined };
  }
  const updates = readUpdates(given.updatedPermissions, base);
  if (!updates.ok) return ignored(updates.problem);
  const { updatedInput: input } = given;
  if (input !== undefined && input !== null && !isRecord(input))
    return ignored(`updatedInput: expected an object, found ${describeValue(input)}`);
  return {
    behaviour: 'allow',
    input: input ?? undefined,
    updates: updates.value.length > 0 ? updates.value : undefined,
  };
}

function ignored(problem: string): Answer {
  return deny(`The host's answer is invalid and was ignored: ${problem.replace(/\.$/, '')}.`);
}

function deny(message: string): Extract<Answer, { behaviour: 'deny' }> {
  return { behaviour: 'deny', message };
}

/** The request that puts an MCP server's question to the host. */
function elicitationRequest({ server, message, mode, schema, url, id }: Elicitation): object {
  return {
    subtype: 'elicitation',
    mcp_server_name: server,
    message,
    mode,
    url,
    elicitation_id: id,
    requested_schema: schema,
  };
}

function elicitationAnswer(response: unknown): Answer {
  const { action, content } = (response ?? {}) as { action?: unknown; content?: unknown };
  if (action === 'accept') return { behaviour: 'allow', input: isRecord(content) ? content : {} };
  return { behaviour: 'deny', message: 'The user declined.', interrupt: action === 'cancel' || undefined };
}
