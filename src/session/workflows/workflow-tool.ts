import { form } from '../../lib/form/form.ts';
import type { Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { defineTool, errorResult, type TaskHandle, type Tool, textResult } from '../../protocol/index.ts';
import { withoutProgress } from '../../tools/without-progress.ts';
import type { WorkflowWish } from './start-workflow.ts';
import description from './workflow-tool.md' with { type: 'text' };

const schema = form.strictObject({
  name: form.string().max(200).optional(),
  args: form.unknown().optional(),
  resume: form.string().max(60).optional().describe('id of a run'),
});

/** The same bytes in every session: which workflows exist is found out by calling it. Offered where there are any. */
export function workflowTool(start: (wish: WorkflowWish) => Promise<Result<TaskHandle>>): Tool {
  return defineTool({
    name: 'Workflow',
    description: description.trim(),
    schema,
    access: () => [{ kind: 'none' }],
    concurrent: () => false,
    effect: () => 'unsafe',
    summary: ({ name, resume }) => visibleLine(name ?? `resume ${resume ?? ''}`, 200),
    run: ({ name, args, resume }, { agentId, toolUseId }) =>
      withoutProgress(async () => {
        const started = await start({ name, args: readArgs(args), resume, owner: agentId, toolUseId });
        if (!started.ok)
          return errorResult([started.problem.message, started.problem.hint].filter(Boolean).join(' '));
        const { id, outputFile } = started.value;
        return textResult(
          `The workflow runs in the background as task ${id}. You are notified when it ends, so do not wait or poll. Its progress is in ${outputFile}.`,
          { status: 'async_launched', taskId: id, outputFile },
        );
      }),
  }) as Tool;
}

/** Models often write JSON as text: taken as it is, a script would go through its letters. */
function readArgs(args: unknown): unknown {
  if (typeof args !== 'string' || !/^\s*[[{]/.test(args)) return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}
