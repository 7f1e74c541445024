import { form, type OutputOf } from '../../lib/form/form.ts';
import { fail, ok, sayProblem } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import {
  defineTool,
  errorResult,
  type ToolContext,
  type ToolResult,
  textResult,
} from '../../protocol/tool.ts';
import { resolvePath } from '../../workspace/paths.ts';
import { withoutProgress } from '../without-progress.ts';
import { changeFile, loadSeen } from './change-file.ts';
import { filePath } from './file-input.ts';
import { describeMissing } from './near-names.ts';
import description from './notebook-edit.md' with { type: 'text' };
import { changeCells, formatNotebook, parseNotebook } from './notebook-edit-cells.ts';
import { encodeText } from './text-file.ts';

const schema = form.strictObject({
  notebook_path: filePath,
  cell_id: form.string().optional(),
  cell_number: form.int().min(1).optional(),
  new_source: form.string().optional().describe('Not needed for delete'),
  cell_type: form.enum(['code', 'markdown']).optional().describe('For a new cell, or to change the type'),
  edit_mode: form.enum(['replace', 'insert', 'delete']).optional().describe('Default: replace'),
});

type Input = OutputOf<typeof schema>;

export const notebookEditTool = defineTool({
  name: 'NotebookEdit',
  description: description.trim(),
  schema,
  access: (input, cwd) => [{ kind: 'write', path: resolvePath(cwd, input.notebook_path) }],
  concurrent: () => false,
  summary: (input) => visibleLine(input.notebook_path, 300),
  changesRead: () => true,
  async foresee(input, context) {
    const planned = await planEdit(input, context);
    return planned.ok ? undefined : planned.problem;
  },
  run: (input, context) => withoutProgress(() => edit(input, context)),
});

async function edit(input: Input, context: ToolContext): Promise<ToolResult> {
  const planned = await planEdit(input, context);
  if (!planned.ok) return errorResult(planned.problem);
  const { path, current, text, mode, number, id } = planned.value;
  const written = await changeFile(path, current, encodeText(text, current), context);
  if (!written.ok) return errorResult(sayProblem(written.problem));
  return textResult(`${done[mode]} cell ${number}${id ? ` (${visibleLine(id, 80)})` : ''} of ${path}.`, {
    notebookPath: path,
    editMode: mode,
    cellNumber: number,
    ...(id === undefined ? {} : { cellId: id }),
  });
}

/** Everything except the write. */
async function planEdit(input: Input, context: ToolContext) {
  const path = resolvePath(context.directory.current, input.notebook_path);
  if (!path.endsWith('.ipynb')) return fail(`${path} is not a notebook (.ipynb). Use Edit.`);
  const current = await loadSeen(path, context);
  if (!current.ok) return fail(current.problem.message);
  if (!current.value) return fail(describeMissing(path, context));
  const notebook = current.value.exact ? parseNotebook(current.value.text) : undefined;
  if (!notebook) return fail(`${path} is not a readable notebook, so it was not changed.`);
  const changed = changeCells(notebook, input, context.toolUseId);
  if (!changed.ok) return fail(`${path} is unchanged: ${changed.problem}`);
  return ok({
    path,
    current: current.value,
    text: formatNotebook(notebook, current.value.text),
    ...changed.value,
  });
}

const done = { replace: 'Replaced', insert: 'Inserted', delete: 'Deleted' } as const;
