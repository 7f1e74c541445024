import { form } from '../lib/form/form.ts';
import { defineTool, type TodoItem, textResult } from '../protocol/tool.ts';
import description from './todo-write.md' with { type: 'text' };
import { withoutProgress } from './without-progress.ts';

const schema = form.strictObject({
  todos: form.array(
    form.strictObject({
      content: form.string().min(1),
      status: form.enum(['pending', 'in_progress', 'completed']),
      activeForm: form.string().optional().describe('Shown while in progress'),
    }),
  ),
});

export const todoWriteTool = defineTool({
  name: 'TodoWrite',
  description: description.trim(),
  schema,
  access: () => [{ kind: 'none' }],
  concurrent: () => false,
  effect: () => 'repeatable',
  summary: (input) => `${input.todos.length} items`,
  run: (input, context) =>
    withoutProgress(async () => {
      const todos = input.todos.map(
        ({ activeForm, ...item }): TodoItem => ({ ...item, ...(activeForm ? { activeForm } : {}) }),
      );
      context.todos.replace(todos);
      const open = todos.filter((todo) => todo.status !== 'completed').length;
      return textResult(`The list is updated: ${todos.length - open} done, ${open} to do.`, {
        newTodos: todos,
      });
    }),
});
