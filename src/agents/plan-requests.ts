import { escapeHarnessTags } from '../lib/text/harness-tags.ts';
import { type Answer, errorResult, type ToolResult, textResult } from '../protocol/index.ts';
import type { AgentKernel } from './kernel.ts';

/** How long a leader may take; unanswered, a plan is rejected. */
const patienceMs = 10 * 60 * 1000;

/** Plans of workers that wait for their leader, by the id of the request. */
export class PlanRequests {
  readonly #waiting = new Map<string, WaitingPlan>();

  constructor(private readonly agents: Pick<AgentKernel, 'roster' | 'ids' | 'clock'>) {}

  /** Puts a worker's plan into its leader's inbox, and waits for the answer. */
  async askLeader(
    agentId: string,
    { plan, planFilePath }: { plan: string; planFilePath: string },
    signal: AbortSignal,
  ): Promise<Answer> {
    const { roster, ids, clock } = this.agents;
    const leader = roster.find(null);
    if (!leader) return rejected('its leader is not running');
    const id = ids.uuid();
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#waiting.set(id, { agentId, answer: resolve });
    const cancel = clock.after(patienceMs, () => resolve(rejected('its leader did not answer in time')));
    const stop = () => resolve(rejected('the worker was stopped'));
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const request = { type: 'plan_approval_request', request_id: id, plan_file: planFilePath, plan };
    const text = [
      `<teammate-message from="${agentId}" id="${id}">`,
      escapeHarnessTags(JSON.stringify(request)),
      '</teammate-message>',
      `The worker ${agentId} is waiting for your decision on its plan. ${explainAnswer(agentId, id)}`,
    ].join('\n');
    leader.context.inbox.post({
      delivery: 'steer',
      content: [{ type: 'text', text }],
      origin: { kind: 'mail', from: agentId, id },
    });
    try {
      return await promise;
    } finally {
      cancel();
      signal.removeEventListener('abort', stop);
      this.#waiting.delete(id);
    }
  }

  /** Why plain text does not reach a worker now; undefined if it does. */
  explainWait(agentId: string): string | undefined {
    for (const [id, waiting] of this.#waiting)
      if (waiting.agentId === agentId)
        return `${agentId} waits for your decision on its plan and reads nothing else until then. ${explainAnswer(agentId, id)}`;
    return undefined;
  }

  /** The leader's answer. Spellings of other products are accepted, too. */
  answer(agentId: string, message: Readonly<Record<string, unknown>>): ToolResult {
    const id = message.request_id ?? message.requestId;
    const approve = message.approve ?? message.approved;
    const waiting = typeof id === 'string' ? this.#waiting.get(id) : undefined;
    if (!waiting || waiting.agentId !== agentId)
      return errorResult(
        `${agentId} is not waiting for an answer with this request_id. Use the request_id of its request.`,
      );
    if (typeof approve !== 'boolean') return errorResult('approve: expected true or false.');
    const feedback = message.feedback ?? message.content;
    const said = typeof feedback === 'string' && feedback.trim() !== '' ? feedback : undefined;
    waiting.answer(approve ? { behaviour: 'allow' } : rejected(said ?? 'the leader rejected the plan'));
    return textResult(`The plan of ${agentId} is ${approve ? 'approved' : 'rejected'}.`, {
      success: true,
      agentId,
      delivery: 'answered',
    });
  }
}

/** A worker's plan, which its leader approves instead of the user. */
interface WaitingPlan {
  agentId: string;
  answer(answer: Answer): void;
}

function explainAnswer(agentId: string, id: string): string {
  return (
    `Answer with SendMessage: to "${agentId}", message ` +
    `{"type": "plan_approval_response", "request_id": "${id}", "approve": true}, or false with "feedback".`
  );
}

function rejected(message: string): Answer {
  return { behaviour: 'deny', message };
}
