import { form } from '../lib/form/form.ts';
import { visibleLine } from '../lib/text/text.ts';
import { defineTool, errorResult, textResult } from '../protocol/tool.ts';
import description from './task-stop.md' with { type: 'text' };
import { withoutProgress } from './without-progress.ts';

const schema = form.strictObject({ task_id: form.string() });

export const taskStopTool = defineTool({
  name: 'TaskStop',
  description: description.trim(),
  schema,
  access: () => [{ kind: 'none' }],
  concurrent: () => false,
  summary: (input) => visibleLine(input.task_id, 100),
  run: (input, context) =>
    withoutProgress(async () => {
      const task = context.tasks.find(input.task_id);
      if (!task)
        return errorResult(`There is no task ${input.task_id}. Use the id from the result that started it.`);
      const before = task.status();
      if (before !== 'running' && before !== 'pending') {
        return textResult(`Task ${task.id} had already ended: ${before}.`, {
          taskId: task.id,
          status: before,
        });
      }
      await task.kill('stopped by TaskStop', 'agent');
      return textResult(`Task ${task.id} was stopped.`, { taskId: task.id, status: task.status() });
    }),
});
