import { renderValue } from '../lib/fields/describe-value.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { Account } from '../models/budget/account.ts';
import type { AgentEvent, AgentProgress, ToolCounts } from '../protocol/index.ts';

const maxActivities = 5;

/** Where a run begins. Usage of earlier runs is kept. */
export function noProgress({ ownTokens }: Pick<Account, 'ownTokens'>): AgentProgress {
  return { toolUses: 0, spentTokens: ownTokens, runTokens: 0, activities: [] };
}

/** Counts an agent's progress from its events. Returns whether there is something new to show. */
export class ProgressCounter {
  #progress: AgentProgress;

  constructor(private readonly account: Pick<Account, 'ownTokens'>) {
    this.#progress = noProgress(account);
  }

  get value(): AgentProgress {
    const spentTokens = this.account.ownTokens;
    return { ...this.#progress, spentTokens, runTokens: spentTokens - this.#progress.spentTokens };
  }

  note(event: AgentEvent): boolean {
    if (event.type === 'tool_started') {
      const activity = visibleLine(`${event.toolName} ${event.summary}`.trim(), 300);
      const activities = [...this.#progress.activities, activity].slice(-maxActivities);
      this.#progress = { ...this.#progress, toolUses: this.#progress.toolUses + 1, activities };
      return true;
    }
    return event.type === 'message_added' && event.record.type === 'assistant';
  }
}

const noTools: ToolCounts = { byName: {}, linesAdded: 0, linesRemoved: 0 };

/** Counts which tools an agent used and how many lines its edits added and removed, from its events. */
export class ToolStats {
  readonly #byName: Map<string, number>;
  /** Lines of files that are being written: a new one has no patch to count in. */
  readonly #written = new Map<string, number>();
  #added: number;
  #removed: number;

  constructor({ byName, linesAdded, linesRemoved }: ToolCounts = noTools) {
    this.#byName = new Map(Object.entries(byName));
    this.#added = linesAdded;
    this.#removed = linesRemoved;
  }

  get value(): ToolCounts {
    return { byName: Object.fromEntries(this.#byName), linesAdded: this.#added, linesRemoved: this.#removed };
  }

  note(event: AgentEvent): void {
    if (event.type === 'tool_started') this.#start(event.toolUseId, event.toolName, event.input);
    if (event.type === 'message_added' && event.record.type === 'user')
      for (const block of event.record.message.content)
        if (block.type === 'tool_result') this.#end(block.tool_use_id, event.toolData);
  }

  #start(toolUseId: string, name: string, input: unknown): void {
    this.#byName.set(name, (this.#byName.get(name) ?? 0) + 1);
    const content = name === 'Write' ? (input as { content?: unknown }).content : undefined;
    if (typeof content === 'string' && content !== '')
      this.#written.set(toolUseId, content.split('\n').length - (content.endsWith('\n') ? 1 : 0));
  }

  #end(toolUseId: string, data: unknown): void {
    const written = this.#written.get(toolUseId) ?? 0;
    this.#written.delete(toolUseId);
    const { type, structuredPatch } = (data ?? {}) as { type?: unknown; structuredPatch?: unknown };
    if (type === 'create') this.#added += written;
    if (!Array.isArray(structuredPatch)) return;
    const lines = structuredPatch.flatMap((hunk) => (Array.isArray(hunk?.lines) ? hunk.lines : []));
    this.#added += lines.filter((line) => renderValue(line).startsWith('+')).length;
    this.#removed += lines.filter((line) => renderValue(line).startsWith('-')).length;
  }
}

const kinds: Record<string, 'readCount' | 'searchCount' | 'bashCount' | 'editFileCount'> = {
  Read: 'readCount',
  Grep: 'searchCount',
  Glob: 'searchCount',
  Bash: 'bashCount',
  Edit: 'editFileCount',
  Write: 'editFileCount',
  NotebookEdit: 'editFileCount',
};

/** The same by kind of tool, as programs that show results of agents expect it. */
export function summarizeTools({ byName, linesAdded, linesRemoved }: ToolCounts) {
  const stats = { readCount: 0, searchCount: 0, bashCount: 0, editFileCount: 0, otherToolCount: 0 };
  for (const [name, count] of Object.entries(byName)) stats[kinds[name] ?? 'otherToolCount'] += count;
  return { ...stats, linesAdded, linesRemoved };
}
