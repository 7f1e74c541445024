import {
  errorResult,
  type Tool,
  type ToolContext,
  type ToolProgress,
  type ToolResult,
} from '../protocol/index.ts';
import type { TaskEnd } from '../protocol/task.ts';
import { firstDifference } from './divergence.ts';
import type { Player } from './player.ts';
import { callName } from './reel.ts';
import { describeStep } from './step-names.ts';
import type { TapeEffect } from './tape.ts';

/** The same tool, but its results come from the tape, and nothing is done. */
export function replayedTool(tool: Tool, player: Player, plain: <T>(value: T) => T): Tool {
  // The state of the disk for a call is on the tape with its result, so nothing else looks.
  const { foresee: _foresee, preview: _preview, ...taped } = tool;
  return {
    ...taped,
    async *run(input, context): AsyncGenerator<ToolProgress, ToolResult> {
      const call = callName(context.agentId, context.toolUseId);
      const difference = findCall(tool.name, call, plain(input), player);
      if (difference) return errorResult(difference);
      for (;;) {
        const step = await player.wait(`the call ${call}`, context.signal);
        if (step?.type === 'progress') yield step.progress;
        else if (step?.type === 'effect') await repeat(step.effect, context, player);
        else if (step?.type === 'result') return step.result;
        else if (step?.type === 'threw') throw new Error(step.message);
        else return errorResult(player.message ?? 'The replay ended before this call did.');
      }
    },
  };
}

function findCall(name: string, call: string, input: unknown, player: Player): string | undefined {
  if (player.message) return player.message;
  const found = player.claim((entry) => entry.type === 'call' && entry.call === call);
  const now = { name, input };
  if (found?.entry.type !== 'call') {
    const line = (player.lines.at(-1)?.line ?? 1) + 1;
    const shown = describeStep({ type: 'call', call, ...now });
    return player.diverge({ line, where: `the call ${call}`, recorded: 'no such call', now: shown });
  }
  const recorded = { name: found.entry.name, input: found.entry.input };
  if (JSON.stringify(recorded) === JSON.stringify(now)) return undefined;
  const { where, ...sides } = firstDifference(recorded, now);
  return player.diverge({ line: found.line, where: `the call ${call}, ${where}`, ...sides });
}

async function repeat(effect: TapeEffect, context: ToolContext, player: Player): Promise<void> {
  switch (effect.type) {
    case 'moved':
      return context.directory.move(effect.path);
    case 'todos':
      return context.todos.replace(effect.items);
    case 'kept': {
      const before = effect.before === null ? null : Buffer.from(effect.before, 'base64');
      await context.history.keep(effect.path, before, context.toolUseId);
      return;
    }
    case 'spawned':
      context.tasks.spawn({ ...effect.spec, run: ({ id, signal }) => taskEnd(id, signal, player) });
  }
}

/** A task whose end is not on the tape was running when the recording ended: it ends when it is stopped. */
async function taskEnd(id: string, signal: AbortSignal, player: Player): Promise<TaskEnd> {
  const step = await player.waitQuietly(`task ${id}`, signal);
  return step?.type === 'task' ? step.end : { status: 'killed', text: '' };
}
