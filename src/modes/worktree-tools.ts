import { form } from '../lib/form/form.ts';
import { type Result, sayProblem } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import {
  type CallPreview,
  defineTool,
  errorResult,
  type Tool,
  type ToolResult,
  textResult,
} from '../protocol/index.ts';
import enterDescription from './enter-worktree.md' with { type: 'text' };
import exitDescription from './exit-worktree.md' with { type: 'text' };

export interface Entered {
  worktreePath: string;
  worktreeBranch: string;
  notes: string[];
}

export interface Exited {
  action: 'keep' | 'remove';
  originalCwd: string;
  worktreePath: string;
  worktreeBranch: string;
  discardedFiles?: number;
  discardedCommits?: number;
}

/** The worktree that the session's main agent is in, as the session has it. */
export interface WorktreeDesk {
  enter(wanted: { name?: string | undefined; path?: string | undefined }): Promise<Result<Entered>>;
  exit(action: 'keep' | 'remove', discard: boolean): Promise<Result<Exited>>;
  /** What would be lost with the worktree; undefined where the session is in none. */
  describeLoss(): Promise<string | undefined>;
}

const enterSchema = form.strictObject({
  name: form.string().min(1).max(200).optional(),
  path: form.string().min(1).max(4000).optional(),
});

export function enterWorktreeTool(desk: () => WorktreeDesk): Tool {
  return defineTool({
    name: 'EnterWorktree',
    description: enterDescription.trim(),
    schema: enterSchema,
    access: () => [{ kind: 'none', changes: 'it creates a worktree' }],
    concurrent: () => false,
    summary: ({ name, path }) => visibleLine(name ?? path ?? '', 200),
    // biome-ignore lint/correctness/useYield: it is over soon
    async *run(input, { agentId }): AsyncGenerator<never, ToolResult> {
      if (agentId !== null) return errorResult(mainOnly);
      if (input.name !== undefined && input.path !== undefined)
        return errorResult('Give the name of a worktree or the path of one, not both.');
      const entered = await desk().enter(input);
      if (!entered.ok) return errorResult(sayProblem(entered.problem));
      const { notes, ...place } = entered.value;
      const message =
        `This session now works in ${place.worktreePath}, on the branch ${place.worktreeBranch}. ` +
        'Relative paths start there, and files elsewhere cannot be written.';
      return textResult([message, ...notes].join('\n'), { ...place, message });
    },
  }) as Tool;
}

const exitSchema = form.strictObject({
  action: form.enum(['keep', 'remove']),
  discard_changes: form.boolean().optional(),
});

export function exitWorktreeTool(desk: () => WorktreeDesk): Tool {
  return defineTool({
    name: 'ExitWorktree',
    description: exitDescription.trim(),
    schema: exitSchema,
    access({ action, discard_changes }) {
      if (action !== 'remove') return [{ kind: 'none' }];
      const changes = 'it removes a worktree';
      return [
        discard_changes
          ? { kind: 'none', changes, asks: 'it removes the worktree with all changes in it' }
          : { kind: 'none', changes },
      ];
    },
    concurrent: () => false,
    summary: ({ action }) => action,
    async preview({ action, discard_changes }): Promise<CallPreview | undefined> {
      const lost = action === 'remove' && discard_changes ? await desk().describeLoss() : undefined;
      if (lost === undefined) return undefined;
      const risk = { level: 'high' as const, reasons: ['work that was not landed is lost'] };
      return { text: `Permanently removed, with everything in it:\n${lost}`, risk, value: undefined };
    },
    // biome-ignore lint/correctness/useYield: it is over soon
    async *run({ action, discard_changes }, { agentId }): AsyncGenerator<never, ToolResult> {
      if (agentId !== null) return errorResult(mainOnly);
      const left = await desk().exit(action, discard_changes === true);
      if (!left.ok) return errorResult(sayProblem(left.problem));
      const { worktreePath, worktreeBranch, originalCwd } = left.value;
      const what =
        action === 'keep'
          ? `The worktree ${worktreePath} was kept, with its branch ${worktreeBranch}.`
          : `The worktree ${worktreePath} and its branch were removed.`;
      const message = `${what} This session is back in ${originalCwd}.`;
      return textResult(message, { ...left.value, message });
    },
  }) as Tool;
}

const mainOnly = 'Only the main agent can move the session.';
