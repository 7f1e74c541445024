import { visibleLine } from '../lib/text.ts';
import type { Account } from '../models/budget/account.ts';
import { type AgentEvent, type AgentProgress, promptTokens } from '../protocol/index.ts';

const maxActivities = 5;

/** Where a run begins. What was spent in earlier ones is not forgotten. */
export function noProgress({ ownTokens }: Pick<Account, 'ownTokens'>): AgentProgress {
  return { toolUses: 0, spentTokens: ownTokens, inputTokens: 0, outputTokens: 0, activities: [] };
}

/** Counts how far an agent has come, from its events. Returns whether there is something new to show. */
export class ProgressCounter {
  #progress: AgentProgress;

  constructor(private readonly account: Pick<Account, 'ownTokens'>) {
    this.#progress = noProgress(account);
  }

  get value(): AgentProgress {
    return { ...this.#progress, spentTokens: this.account.ownTokens };
  }

  get totalTokens(): number {
    return this.#progress.inputTokens + this.#progress.outputTokens;
  }

  note(event: AgentEvent): boolean {
    if (event.type === 'tool_started') {
      const activity = visibleLine(`${event.toolName} ${event.summary}`.trim(), 300);
      const activities = [...this.#progress.activities, activity].slice(-maxActivities);
      this.#progress = { ...this.#progress, toolUses: this.#progress.toolUses + 1, activities };
      return true;
    }
    if (event.type !== 'message_added' || event.record.type !== 'assistant') return false;
    const { usage } = event.record.message;
    // Every request repeats what was sent before it: the newest says how much that is.
    this.#progress = {
      ...this.#progress,
      inputTokens: promptTokens(usage) || this.#progress.inputTokens,
      outputTokens: this.#progress.outputTokens + usage.output_tokens,
    };
    return true;
  }
}
