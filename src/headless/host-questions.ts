import type { Ids } from '../lib/ids.ts';
import type { AgentEvent, Answer, PermissionMode, Rule } from '../protocol/index.ts';
import { permissionModes } from '../protocol/index.ts';
import type { Session } from '../session/session.ts';
import { elicitationAnswer, elicitationRequest } from './elicitation.ts';
import { type Io, writeFrame } from './io.ts';
import type { ControlResponse } from './wire.ts';

/** Puts the session's questions to the host as `can_use_tool` and brings the answers back. */
export class HostQuestions {
  readonly #questionOf = new Map<string, { id: string; isElicitation: boolean }>();

  constructor(
    private readonly session: Session,
    private readonly io: Io,
    private readonly ids: Ids,
  ) {}

  async accept(event: AgentEvent): Promise<void> {
    if (event.type === 'question_asked') await this.#ask(event.question);
    if (event.type === 'question_answered') await this.#cancel(event.questionId);
  }

  /** False when the response belongs to no question of ours. */
  answer({ response }: ControlResponse): boolean {
    const asked = this.#questionOf.get(response.request_id);
    if (asked === undefined) return false;
    this.#questionOf.delete(response.request_id);
    const answer =
      response.subtype === 'error'
        ? deny(response.error)
        : asked.isElicitation
          ? elicitationAnswer(response.response)
          : answerOf(response.response, this.session.info().cwd);
    this.session.send({ type: 'answer', questionId: asked.id, answer });
    return true;
  }

  async #ask(question: Extract<AgentEvent, { type: 'question_asked' }>['question']): Promise<void> {
    const requestId = this.ids.uuid();
    const { elicitation } = question;
    this.#questionOf.set(requestId, { id: question.id, isElicitation: elicitation !== undefined });
    if (elicitation) {
      const request = elicitationRequest(elicitation);
      await writeFrame(this.io, { type: 'control_request', request_id: requestId, request });
      return;
    }
    const suggestions = question.suggestions.map(updateOf);
    const request = {
      subtype: 'can_use_tool',
      tool_name: question.toolName,
      input: question.input,
      tool_use_id: question.toolUseId,
      permission_suggestions: suggestions,
      decision_reason: question.decision.reason,
      decision_reason_type: question.decision.by === 'rule' ? 'rule' : 'mode',
      description: question.summary,
      ...(question.agentId === null ? {} : { agent_id: question.agentId }),
    };
    await writeFrame(this.io, { type: 'control_request', request_id: requestId, request });
  }

  /** A question that was settled otherwise (an interrupt) is taken back from the host. */
  async #cancel(questionId: string): Promise<void> {
    for (const [requestId, asked] of this.#questionOf) {
      if (asked.id !== questionId) continue;
      this.#questionOf.delete(requestId);
      await writeFrame(this.io, { type: 'control_cancel_request', request_id: requestId });
    }
  }
}

function answerOf(response: unknown, base: string): Answer {
  const given = (response ?? {}) as Record<string, unknown>;
  if (given.behavior === 'allow')
    return { behaviour: 'allow', ...inputOf(given), ...updatesOf(given.updatedPermissions, base) };
  const message =
    typeof given.message === 'string' && given.message !== '' ? given.message : 'The user said no.';
  return { ...deny(message), ...(given.interrupt === true ? { interrupt: true } : {}) };
}

function inputOf(given: Record<string, unknown>): { input?: Record<string, unknown> } {
  const input = given.updatedInput;
  return input !== null && typeof input === 'object' && !Array.isArray(input)
    ? { input: input as Record<string, unknown> }
    : {};
}

/** Rules and modes granted along with an answer hold for this session; nothing is written to settings here. */
function updatesOf(updates: unknown, base: string): { rules?: Rule[]; mode?: PermissionMode } {
  if (!Array.isArray(updates)) return {};
  const rules = updates.flatMap((update) => (update?.type === 'addRules' ? rulesOf(update, base) : []));
  const mode = updates.findLast(
    (update) => update?.type === 'setMode' && permissionModes.includes(update.mode),
  )?.mode;
  return { ...(rules.length > 0 ? { rules } : {}), ...(mode ? { mode } : {}) };
}

function rulesOf(update: { rules?: unknown; behavior?: unknown }, base: string): Rule[] {
  const behaviour = update.behavior;
  if (!Array.isArray(update.rules) || (behaviour !== 'allow' && behaviour !== 'deny' && behaviour !== 'ask'))
    return [];
  return update.rules.flatMap((rule: { toolName?: unknown; ruleContent?: unknown }) =>
    typeof rule?.toolName !== 'string'
      ? []
      : [
          {
            behaviour,
            tool: rule.toolName,
            ...(typeof rule.ruleContent === 'string' ? { specifier: rule.ruleContent } : {}),
            layer: 'session' as const,
            source: 'an answer of the host',
            base,
          },
        ],
  );
}

function updateOf(rule: Rule): object {
  return {
    type: 'addRules',
    rules: [
      { toolName: rule.tool, ...(rule.specifier === undefined ? {} : { ruleContent: rule.specifier }) },
    ],
    behavior: rule.behaviour,
    destination: 'session',
  };
}

function deny(message: string): Extract<Answer, { behaviour: 'deny' }> {
  return { behaviour: 'deny', message };
}
