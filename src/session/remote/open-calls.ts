import type { JournalCopy } from '../../loop/agent-context.ts';
import type { AgentEvent } from '../../protocol/index.ts';

/** Tools that wait for other agents, whose own calls are counted. */
const waitingTools: ReadonlySet<string> = new Set(['Agent', 'SendMessage']);

/** The calls of a job that have begun and whose results are not recorded yet. */
export interface OpenCalls {
  enter(call: Parameters<JournalCopy>[0]): void;
  note(event: AgentEvent): void;
  /** No call runs that could be finished. */
  readonly isQuiet: boolean;
}

export function openCalls(): OpenCalls {
  const open = new Set<string>();
  return {
    enter({ agentId, toolUseId, toolName }) {
      if (!waitingTools.has(toolName)) open.add(`${agentId} ${toolUseId}`);
    },
    note(event) {
      if (event.type === 'run_ended')
        for (const name of [...open]) if (name.startsWith(`${event.agentId} `)) open.delete(name);
      if (event.type !== 'message_added' || event.record.type !== 'user') return;
      const { content } = event.record.message;
      for (const block of typeof content === 'string' ? [] : content)
        if (block.type === 'tool_result') open.delete(`${event.agentId} ${block.tool_use_id}`);
    },
    get isQuiet() {
      return open.size === 0;
    },
  };
}
