import { type Clock, sleep } from '../lib/clock.ts';
import type { Result } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import { type Judge, type JudgedCall, type Model, textOf, type Verdict } from '../protocol/index.ts';
import instructions from './judge.md' with { type: 'text' };
import { renderCase } from './judge-case.ts';

export interface ModelJudgeOptions {
  /** Resolved on first use. */
  model(): Result<Model>;
  clock: Clock;
  patienceMs?: number;
}

const patienceMs = 30_000;

/** A small model as the judge of `auto` mode. Any failure results in `ask`. */
export function modelJudge(options: ModelJudgeOptions): Judge {
  return {
    async judge(subject, signal) {
      const model = options.model();
      if (!model.ok) return unsure(model.problem.message);
      const text = renderCase(subject);
      if (text === undefined) return unsure('the call is too long to be judged');
      const controller = new AbortController();
      const abort = () => controller.abort();
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      const late = sleep(options.clock, options.patienceMs ?? patienceMs, controller.signal).then(() =>
        unsure('it did not answer in time'),
      );
      const verdict = await Promise.race([ask(model.value, subject, text, controller.signal), late]);
      signal.removeEventListener('abort', abort);
      controller.abort();
      return verdict;
    },
  };
}

async function ask(
  model: Model,
  { question }: JudgedCall,
  text: string,
  signal: AbortSignal,
): Promise<Verdict> {
  const thinks = model.facts.thinking.length > 0 && !model.facts.thinking.includes('off');
  const { sessionId, agentId } = question;
  const stream = model.stream(
    {
      system: [instructions.trim()],
      tools: [],
      messages: [{ role: 'user', content: [{ type: 'text', text }] }],
      maxOutputTokens: thinks ? 4_000 : 500,
      thinking: { type: thinks ? 'adaptive' : 'off' },
      asker: { sessionId, agentId, priority: 'foreground' },
    },
    signal,
  );
  for await (const event of stream) {
    if (event.type === 'response_failed') return unsure(event.failure.message);
    if (event.type === 'response_ended') return readVerdict(textOf(event.message.content));
  }
  return unsure('its answer was cut off');
}

/** Exactly one object with a known verdict: an answer with anything around it is not accepted. */
export function readVerdict(text: string): Verdict {
  const bare = text.trim().replace(/^```(?:json)?\n([\s\S]*)\n```$/, '$1');
  try {
    const { verdict, reason } = JSON.parse(bare) as Record<string, unknown>;
    if (verdict !== 'allow' && verdict !== 'ask' && verdict !== 'deny') return unclear;
    const given =
      typeof reason === 'string' && reason.trim() !== '' ? visibleLine(reason, 300) : 'no reason given';
    return { behaviour: verdict, reason: `the auto mode judge: ${given}` };
  } catch {
    return unclear;
  }
}

function unsure(reason: string): Verdict {
  return { behaviour: 'ask', reason: `the auto mode judge could not decide: ${visibleLine(reason, 300)}` };
}

const unclear = unsure('its answer was unclear');
