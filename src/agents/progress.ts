import { visibleLine } from '../lib/text.ts';
import type { AgentEvent, AgentProgress } from '../protocol/index.ts';

const mostActivities = 5;

/** Counts how far an agent has come, from its events. Returns whether there is something new to show. */
export class ProgressCounter {
  #progress: AgentProgress = { toolUses: 0, inputTokens: 0, outputTokens: 0, activities: [] };

  get value(): AgentProgress {
    return this.#progress;
  }

  get totalTokens(): number {
    return this.#progress.inputTokens + this.#progress.outputTokens;
  }

  note(event: AgentEvent): boolean {
    if (event.type === 'tool_started') {
      const activity = visibleLine(`${event.toolName} ${event.summary}`.trim(), 120);
      const activities = [...this.#progress.activities, activity].slice(-mostActivities);
      this.#progress = { ...this.#progress, toolUses: this.#progress.toolUses + 1, activities };
      return true;
    }
    if (event.type !== 'message_added' || event.record.type !== 'assistant') return false;
    const { usage } = event.record.message;
    // Every request repeats what was sent before it: the newest says how much that is.
    const inputTokens =
      usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
    this.#progress = {
      ...this.#progress,
      inputTokens: inputTokens || this.#progress.inputTokens,
      outputTokens: this.#progress.outputTokens + usage.output_tokens,
    };
    return true;
  }
}
