import { type Clock, sleep } from '../lib/clock.ts';
import type { Result } from '../lib/result.ts';
import { boundText, visibleLine } from '../lib/text/text.ts';
import { type Model, textOf } from '../protocol/index.ts';
import instructions from './judge-handoff.md' with { type: 'text' };

export interface HandoffJudgeOptions {
  /** Looked up when it is first needed. */
  model(): Result<Model>;
  clock: Clock;
  sessionId: string;
}

const patienceMs = 30_000;
const maxCharacters = 40_000;

/**
 * A small model's opinion of a report. If anything goes wrong there is none, and the findings of the rules are used
 * alone.
 */
export function handoffJudge(options: HandoffJudgeOptions): (text: string) => Promise<string | undefined> {
  return async (text) => {
    const model = options.model();
    if (!model.ok) return undefined;
    const controller = new AbortController();
    const late = sleep(options.clock, patienceMs, controller.signal).then(() => undefined);
    const asked = ask(model.value, options.sessionId, text, controller.signal);
    const word = await Promise.race([asked, late]);
    controller.abort();
    return word;
  };
}

async function ask(
  model: Model,
  sessionId: string,
  text: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const thinks = model.facts.thinking.length > 0 && !model.facts.thinking.includes('off');
  const stream = model.stream(
    {
      system: [instructions.trim()],
      tools: [],
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: JSON.stringify({ report: boundText(text, maxCharacters) }) }],
        },
      ],
      maxOutputTokens: thinks ? 4_000 : 500,
      thinking: { type: thinks ? 'adaptive' : 'off' },
      asker: { sessionId, agentId: null, priority: 'foreground' },
    },
    signal,
  );
  for await (const event of stream) {
    if (event.type === 'response_failed') return undefined;
    if (event.type === 'response_ended') return readWord(textOf(event.message.content));
  }
  return undefined;
}

function readWord(text: string): string | undefined {
  const bare = text.trim().replace(/^```(?:json)?\n([\s\S]*)\n```$/, '$1');
  try {
    const { suspicious, reason } = JSON.parse(bare) as Record<string, unknown>;
    if (suspicious !== true) return undefined;
    return typeof reason === 'string' && reason.trim() !== '' ? visibleLine(reason, 300) : 'no reason given';
  } catch {
    return undefined;
  }
}
