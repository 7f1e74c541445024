import { form, type OutputOf } from '../../lib/form/form.ts';
import { sayProblem } from '../../lib/result.ts';
import { diffLines } from '../../lib/text/diff.ts';
import { countLines, visibleLine } from '../../lib/text/text.ts';
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
import description from './write.md' with { type: 'text' };

const schema = form.strictObject({ file_path: filePath, content: form.string() });

type Input = OutputOf<typeof schema>;

export const writeTool = defineTool({
  name: 'Write',
  description: description.trim(),
  schema,
  access: (input, cwd) => [{ kind: 'write', path: resolvePath(cwd, input.file_path) }],
  concurrent: () => false,
  effect: () => 'repeatable',
  summary: (input) => visibleLine(input.file_path, 300),
  async foresee(input, context) {
    const current = await loadSeen(resolvePath(context.directory.current, input.file_path), context);
    return current.ok ? undefined : current.problem.message;
  },
  run: (input, context) => withoutProgress(() => write(input, context)),
});

async function write(input: Input, context: ToolContext): Promise<ToolResult> {
  const path = resolvePath(context.directory.current, input.file_path);
  const current = await loadSeen(path, context);
  if (!current.ok) return errorResult(current.problem.message);
  const written = await changeFile(path, current.value, Buffer.from(input.content), context);
  if (!written.ok) return errorResult(sayProblem(written.problem));
  const type = current.value ? 'update' : 'create';
  const lines = countLines(input.content);
  return textResult(
    `${current.value ? 'Wrote' : 'Created'} ${path} (${lines} ${lines === 1 ? 'line' : 'lines'}).`,
    {
      type,
      filePath: path,
      structuredPatch: current.value ? diffLines(current.value.text, input.content) : [],
    },
  );
}
