import { form, type OutputOf } from '../../lib/form/form.ts';
import { fail, ok, type Result, sayProblem } from '../../lib/result.ts';
import { diffLines, renderHunks } from '../../lib/text/diff.ts';
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
import description from './edit.md' with { type: 'text' };
import { replaceText } from './edit-text.ts';
import { filePath } from './file-input.ts';
import { describeMissing } from './near-names.ts';
import type { CurrentFile } from './text-file.ts';
import { encodeText } from './text-file.ts';

const schema = form.strictObject({
  file_path: filePath,
  old_string: form.string(),
  new_string: form.string(),
  replace_all: form.boolean().optional(),
});

type EditInput = OutputOf<typeof schema>;

const maxDiffLines = 40;

export const editTool = defineTool({
  name: 'Edit',
  description: description.trim(),
  schema,
  access: (input, cwd) => [{ kind: 'write', path: resolvePath(cwd, input.file_path) }],
  concurrent: () => false,
  summary: (input) => visibleLine(input.file_path, 300),
  changesRead: ({ old_string }) => old_string !== '',
  async foresee(input, context) {
    const planned = await planEdit(input, context);
    return planned.ok ? undefined : planned.problem;
  },
  run: (input, context) => withoutProgress(() => edit(input, context)),
});

async function edit(input: EditInput, context: ToolContext): Promise<ToolResult> {
  const planned = await planEdit(input, context);
  if (!planned.ok) return errorResult(planned.problem);
  const { path, current, text, count } = planned.value;
  const bytes = encodeText(text, current ?? { encoding: 'utf-8', byteOrderMark: false });
  const written = await changeFile(path, current, bytes, context);
  if (!written.ok) return errorResult(sayProblem(written.problem));
  return describe(path, current, text, count);
}

interface PlannedEdit {
  path: string;
  current: CurrentFile | null;
  text: string;
  count: number;
}

/** Everything except the write. */
async function planEdit(input: EditInput, context: ToolContext): Promise<Result<PlannedEdit, string>> {
  const path = resolvePath(context.directory.current, input.file_path);
  if (input.old_string === input.new_string)
    return fail('old_string and new_string are the same, so there is nothing to change.');
  const current = await loadSeen(path, context);
  if (!current.ok) return fail(current.problem.message);
  const planned = plan(path, current.value, input, context);
  return planned.ok ? ok({ path, current: current.value, ...planned.value }) : planned;
}

function plan(
  path: string,
  current: CurrentFile | null,
  input: EditInput,
  context: ToolContext,
): Result<{ text: string; count: number }, string> {
  if (!current) {
    if (input.old_string === '') return ok({ text: input.new_string, count: 1 });
    return fail(describeMissing(path, context));
  }
  if (!current.exact)
    return fail(
      `${path} is not valid ${current.encoding} text, so an edit would damage it. Use a program in Bash.`,
    );
  const replaced = replaceText(current.text, input);
  return replaced.ok ? replaced : fail(`${path} is unchanged: ${replaced.problem}`);
}

function describe(path: string, before: CurrentFile | null, text: string, count: number): ToolResult {
  const hunks = diffLines(before?.text ?? '', text);
  const data = { filePath: path, replacements: count, structuredPatch: hunks };
  if (!before) return textResult(`Created ${path}.`, data);
  const times = count === 1 ? '' : ` (${count} replacements)`;
  return textResult(
    `Edited ${path}${times}.\n${renderHunks(hunks, maxDiffLines).replaceAll('\r', '')}`,
    data,
  );
}
