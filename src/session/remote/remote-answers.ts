import type { Answer, PermissionMode, Question } from '../../protocol/index.ts';
import type { NewRow } from '../../remote/engine.ts';
import { streams } from '../../remote/job.ts';
import { parseAnswer } from '../../remote/letters.ts';
import { openCursor } from '../../remote/sealed-rows.ts';
import type { ClaimedJob } from '../../remote/serve-worker.ts';
import { limitMode } from './describe-order.ts';

export interface RemoteAnswers {
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  /** Gives new answers to the questions that wait for them. */
  read(): Promise<void>;
}

/** Questions go to the submitter as rows, and its answers come back. `store` is false if the job is another worker's. */
export function openAnswers(
  { order, engine, submitter, waiter }: ClaimedJob,
  highestMode: PermissionMode,
  store: (row: NewRow) => Promise<boolean>,
): RemoteAnswers {
  const readAnswers = openCursor(engine, order.id, streams.answers, (signer) => signer === submitter);
  const waiting = new Map<string, (answer: Answer) => void>();
  return {
    async ask(question, signal) {
      const { promise, resolve } = Promise.withResolvers<Answer>();
      waiting.set(question.id, resolve);
      const withdraw = () => resolve({ behaviour: 'deny', message: 'The question was withdrawn.' });
      signal.addEventListener('abort', withdraw, { once: true });
      if (signal.aborted) withdraw();
      const row = { stream: streams.questions, key: question.id, body: JSON.stringify(question) };
      if (!(await store(row))) withdraw();
      await engine.ring(order.id);
      waiter.wake();
      try {
        return await promise;
      } finally {
        waiting.delete(question.id);
        signal.removeEventListener('abort', withdraw);
      }
    },
    async read() {
      if (waiting.size === 0) return;
      const rows = await readAnswers();
      for (const { body } of rows.ok ? rows.value : []) {
        const found = parseAnswer(body);
        if (found) waiting.get(found.id)?.(limitAnswer(found.answer, highestMode));
      }
    },
  };
}

export function limitAnswer(answer: Answer, highest: PermissionMode): Answer {
  if (answer.behaviour === 'deny') {
    const { interrupt, ...rest } = answer;
    return interrupt === undefined ? rest : { ...rest, interrupt };
  }
  const { mode, input } = answer;
  return {
    behaviour: 'allow' as const,
    ...(input ? { input } : {}),
    ...(mode ? { mode: limitMode(mode, highest) } : {}),
  };
}
